import { readDocument, samples } from '../../../docs/documents.ts';
import { widgetOf } from '../harness.ts';
import { pageScript, REACT_18 } from '../page-script.ts';
import { harness } from '../shared-harness.ts';

/** The code of a recipe as docs/widget-recipes.md prints it, with the address of the service. */
const recipe = (heading: string, nth = 0) =>
  (
    samples(readDocument('docs/widget-recipes.md')).filter((one) => one.heading === heading)[nth]?.code ?? ''
  ).replaceAll('https://BASE_URL', harness.service.url);

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

const VERSIONS = [
  [18, REACT_18],
  [19, {}],
] as const;

const visitApplication = (react: Readonly<Record<string, string>>) =>
  harness.visit({
    script: '<script defer src="/application.js"></script>',
    body: '<main></main>',
    files: { '/application.js': pageScript(application(), react) },
  });

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
