import type { Page } from 'playwright-core';
import { byDay } from '../../../harness/full.ts';
import { readDocument, samples } from '../../../unit/docs/documents.ts';
import { widgetOf } from '../harness.ts';
import { pageScript, REACT_18 } from '../page-script.ts';
import { harness } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

/** The code of a recipe as docs/widget-recipes.md prints it, with the address of the service. */
const recipe = (heading: string, nth = 0) =>
  (
    samples(readDocument('docs/widget-recipes.md')).filter((one) => one.heading === heading)[nth]?.code ?? ''
  ).replaceAll('BASE_URL', harness.service.url);

/** A React application that shows the component of the recipe for the site of the button that was clicked last. */
const application = () => `${recipe('React')}
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

function Application() {
  const [siteId, setSiteId] = useState('');
  return <>
    {['', 'site_test', 'site_other'].map((id) => <button key={id} onClick={() => setSiteId(id)}>{id || 'None'}</button>)}
    {siteId && <VaWave siteId={siteId} />}
  </>;
}
createRoot(document.querySelector('main')).render(<Application />);`;

const VERSIONS = byDay(1, [
  [19, {}],
  [18, REACT_18],
] as const);

const visitApplication = (
  react: Readonly<Record<string, string>>,
  before: (page: Page) => Promise<unknown> = async () => {},
) =>
  harness.visit(
    {
      script: '<script defer src="/application.js"></script>',
      body: '<main></main>',
      files: { '/application.js': pageScript(application(), react) },
    },
    { before },
  );

test.each(VERSIONS)(
  'the recipe for React %d shows the assistant that it names, and none after it is unmounted',
  async (_, react) => {
    const { page, errors } = await visitApplication(react);
    await page.getByRole('button', { name: 'site_test' }).click();
    await widgetOf(page).launcher.waitFor();
    await page.getByRole('button', { name: 'None' }).click();
    await widgetOf(page).host.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'site_other' }).click();
    await widgetOf(page).launcher.waitFor();
    expect(harness.service.to('init').map(({ headers }) => headers['x-site-id'])).toEqual(['site_test', 'site_other']);
    expect(errors).toEqual([]);
  },
);

test.each(VERSIONS)(
  'with React %d, a component that unmounts before the loader arrives leaves nothing, and another site that is mounted meanwhile counts',
  async (_, react) => {
    let arrival = Promise.withResolvers<void>();
    const { page, errors, settled } = await visitApplication(react, (page) =>
      page.route(/va-wave-widget\.js/, async (route) => {
        await arrival.promise;
        await route.continue();
      }),
    );
    const click = (name: string) => page.getByRole('button', { name }).click();
    await click('site_test');
    await click('None');
    arrival.resolve();
    await settled();
    expect([harness.service.to('init').length, await widgetOf(page).host.count()]).toEqual([0, 0]);
    arrival = Promise.withResolvers();
    await click('site_test');
    await click('site_other');
    arrival.resolve();
    await widgetOf(page).launcher.waitFor();
    await settled();
    expect(harness.service.to('init').map(({ headers }) => headers['x-site-id'])).toEqual(['site_other']);
    expect(errors).toEqual([]);
  },
);

test('the button of the recipe appears also when its component mounts late, and hides when the widget is gone', async () => {
  const button = `import { useEffect, useState } from 'react';
    import { createRoot } from 'react-dom/client';
    function Button() { ${recipe('React', 1)} }
    window.mount = () => createRoot(document.querySelector('main')).render(<Button />);`;
  const { page, widget } = await harness.visit({
    head: '<script defer src="/application.js"></script>',
    body: '<main></main>',
    files: { '/application.js': pageScript(button) },
  });
  await widget.launcher.waitFor();
  await page.evaluate('mount()');
  await page.getByRole('button', { name: 'Contact us', exact: true }).click();
  await page.getByRole('dialog', { name: 'Contact us' }).waitFor();
  await page.evaluate('vaWave.destroy()');
  await page.getByRole('button', { name: 'Contact us' }).waitFor({ state: 'detached' });
});
