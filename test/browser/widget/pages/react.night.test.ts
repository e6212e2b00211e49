import { widgetOf } from '../harness.ts';
import { pageScript, REACT_18 } from '../page-script.ts';
import { harness } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages whose whole document is one React application (Remix, React Router, own servers), with the widget's tag in its head.

/** The application. It hydrates when the page calls `hydrate()`, as a bundle does that arrives late. */
const application = (title: string) => `
import { useState } from 'react';
import { hydrateRoot } from 'react-dom/client';

function Page() {
  const [count, setCount] = useState(0);
  return <html lang="en">
    <head><title>Shop</title><script async src="${harness.service.url}/static/va-wave-widget.js" data-site-id="site_test"></script></head>
    <body><main><h1>${title}</h1><button onClick={() => setCount(count + 1)}>Clicked {count} times</button></main></body>
  </html>;
}
window.problems = [];
window.hydrate = () => hydrateRoot(document, <Page />, { onRecoverableError: (error) => window.problems.push(String(error)) });
`;

const served = () =>
  `<!DOCTYPE html><html lang="en"><head><title>Shop</title>${harness.tag().replace('<script async', '<script async=""')}</head>` +
  '<body><main><h1>Bikes</h1><button>Clicked <!-- -->0<!-- --> times</button></main><script src="/page.js"></script></body></html>';

const visit = (title: string, alias: Readonly<Record<string, string>>) =>
  harness.visit({ document: served(), files: { '/page.js': pageScript(application(title), alias) } });

describe.each([
  [18, REACT_18],
  [19, {}],
] as const)('React %d hydrates the whole document after the widget has appeared', (_version, alias) => {
  test('without an error, and the widget stays', async () => {
    const { page, widget } = await visit('Bikes', alias);
    await widget.openForm();
    await widget.field('Your name').fill('Ada');
    await page.evaluate('hydrate()');
    await page.locator('main button').click();
    await page.getByText('Clicked 1 times').waitFor();
    expect(await page.evaluate('window.problems')).toEqual([]);
    expect([await widget.host.count(), await widget.field('Your name').inputValue()]).toEqual([1, 'Ada']);
  });

  test('with another text than the server: React builds the document anew, and the open panel is there again', async () => {
    const { page, widget } = await visit('Scooters', alias);
    await widget.openForm();
    await widget.field('Your name').fill('Ada');
    await page.evaluate('hydrate()');
    await page.getByText('Scooters').waitFor();
    await page.getByText('Clicked 0 times').click();
    await page.getByText('Clicked 1 times').waitFor();
    expect(await widget.field('Your name').inputValue()).toBe('Ada');
    await widgetOf(page).field('Message').fill('Hello');
    await widget.field('Email').fill('ada@example.com');
    await widget.submit();
  });
});
