import { nameProblems, treeProblems } from '../../../scripts/name-rule.ts';

const LONG = '\n\n\n\n\n\n';
const problemsOf = (text: string) => nameProblems('src/a.ts', text, new Map());

describe('the rule of names', () => {
  test.each([
    ['a constant', `const found = 1;${LONG}`],
    ['a constant in a block', `if (true) {\n const kept = 1;${LONG}}`],
    ['a function', `function made() {}${LONG}`],
    ['a parameter', `export const f = (known: string) => {${LONG}};`],
    ['a destructured name', `const { a: [taken] } = b;${LONG}`],
    ['a destructured parameter', `function f({ told }: T) {${LONG}}`],
    ['a member of a type', 'type T = { readonly folded: string };'],
    ['a member of a class', 'class C { shown = 1; }'],
    ['a loop', `for (const named of list) {${LONG}}`],
  ])('finds %s', (_, text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });

  test.each([
    ['a name with its noun', `const storedAction = 1;${LONG}`],
    ['a lambda of one line', 'const f = list.map((found) => found.id);'],
    ['a noun that ends like a participle', `const setting = 1;${LONG}`],
    ['a short scope', '{\n const kept = 1;\n use(kept);\n}'],
    ['a key of an object', `const a = { found: 1 };${LONG}`],
  ])('lets %s stand', (_, text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test.each([
    'export type outcome = 1;',
    'export const outcome = 1;',
    'export async function outcome() {}',
    'export class outcome {}',
  ])('finds a name that two files export, and lets a package repeat it: %s', (text) => {
    const files = (...paths: string[]) => new Map(paths.map((path) => [path, text]));
    expect(treeProblems(files('src/a.ts', 'widget/b.ts'))).toHaveLength(1);
    expect(treeProblems(files('src/a.ts', 'packages/receiver/src/b.ts'))).toEqual([]);
    expect(treeProblems(new Map([['src/a.ts', `${text}\n${text}`]]))).toEqual([]);
  });
});
