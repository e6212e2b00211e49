import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
export const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Returns the findings of axe, one line each. @param tags of the rules; all rules without them */
export async function axeFindings(page: Page, tags?: readonly string[]): Promise<readonly string[]> {
  // Parsing axe takes as long as a run of it, and V8 optimizes it only while the document stays.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(tags && { runOnly: { type: 'tag', values: tags } }) };
  return page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`,
  );
}
