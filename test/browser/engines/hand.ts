import { eventually } from '../../harness/until.ts';
import type { Engine } from './engine.ts';

/** Everything that a visitor can name and see, also inside open shadow roots, as functions of the page. */
const SIGHT = `const roots = [document];
  for (const root of roots) for (const node of root.querySelectorAll('*')) if (node.shadowRoot) roots.push(node.shadowRoot);
  const words = (text) => (text ?? '').replace(/\\s+/g, ' ').trim();
  const find = (name) => roots
    .flatMap((root) => [...root.querySelectorAll('button, a, input, textarea, [role=tab], [role=switch], [role=menuitem]')])
    .filter((node) => node.getClientRects().length > 0)
    .find((node) => [node.getAttribute('aria-label'), node.innerText, ...[...node.labels ?? []].map((label) => label.innerText)]
      .some((text) => words(text) === name || words(text) === name + ' (optional)'));
  const shown = () => roots.flatMap((root) => [...(root === document ? [root.body] : root.children)])
    .map((node) => node.innerText ?? '').join(' ');
  const focused = () => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    return node?.getAttribute('aria-label') || words([...node?.labels ?? []].map((label) => label.innerText).join()) || words(node?.innerText).slice(0, 40);
  };`;

const PATIENCE_MS = 20_000;

/** What a person does with a browser: looks for words, clicks and types. Each step waits until it is possible. */
export function handOf(engine: Engine) {
  const see = (expression: string) => engine.run(`(() => { ${SIGHT} return ${expression}; })()`);
  const click = async (name: string) => {
    const at = await eventually(async () => {
      const place = await see(`(() => {
        const node = find(${JSON.stringify(name)});
        node?.scrollIntoView({ block: 'center' });
        const box = node?.getBoundingClientRect();
        return box && [box.left + box.width / 2, box.top + box.height / 2];
      })()`);
      return Array.isArray(place) ? place.map(Number) : undefined;
    }, PATIENCE_MS);
    await engine.click(at[0] ?? 0, at[1] ?? 0);
  };
  return {
    see,
    click,
    fill: async (name: string, text: string) => {
      await click(name);
      await see(`find(${JSON.stringify(name)}).select()`);
      await engine.type(text);
    },
    value: (name: string) => eventually(() => see(`find(${JSON.stringify(name)})?.value`), PATIENCE_MS),
    focused: async () => String(await see('focused()')),
    /** Reloads the page. WebDriver may answer while the page before is still there. */
    reload: async () => {
      await see('window.isBefore = true');
      await engine.reload();
      await eventually(
        async () => (await see('!window.isBefore && Boolean(find("Help and contact"))')) || undefined,
        PATIENCE_MS,
      );
    },
    /** Waits until the words are on the page. */
    read: (text: string) =>
      eventually(async () => (await see(`shown().includes(${JSON.stringify(text)})`)) || undefined, PATIENCE_MS),
    /** Waits until an expression is true. */
    until: (expression: string) => eventually(async () => (await see(expression)) || undefined, PATIENCE_MS),
  };
}
