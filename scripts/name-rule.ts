import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/**
 * Checks the rule of names (docs/development.md, "How we write"): `node scripts/name-rule.ts`, a part of `npm run check`. A name with a scope of
 * more than `SHORT_SCOPE_LINES`, or of a member, is no bare participle, and what is exported has a name of its own in the whole tree.
 */
const SHORT_SCOPE_LINES = 5;
const FOLDERS = 'bench bin cli dashboard examples lambdas lib local packages scripts src widget'.split(' ');
/** Files whose exported names share one name space. What customers install, and what replaces an adapter on one machine, repeats names of these. */
const ONE_NAME_SPACE = /^(?!local\/(network-rule|aws-transport)\.)(bench|cli|dashboard|lib|local|src|widget)\//;

/** Names that may stand although they are participles, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  containing: 'an option of the command line, of which the library of commands makes the name',
  deleted: 'an option of the command line',
  disabled: 'an option of the command line',
  enabled: 'the word of the contract for the flag of an Action',
  reported: 'a field of the result of a usage report, which runtimes read',
  required: 'the word of the contract and of JSON Schema',
  set: 'the method of Map that BoundedMap overrides',
  tracing: 'a property of the construct',
};
/** Exported names that may be repeated, each with its reason. */
const REPEATED: Readonly<Record<string, string>> = {
  addTo: 'what each file of commands exports',
  VaWave: 'the public name of the construct, and of what the widget gives to a page',
};

const IRREGULAR_PARTICIPLES = new Set(
  `known shown given taken made kept found sent left told seen written read begun done gone held built put set lost met paid
  said sold thought won worn chosen broken drawn driven forgotten frozen hidden risen spoken stolen thrown meant brought bought
  caught taught felt dealt hung lent spent bound cut hit let shut split`.split(/\s+/),
);
/** Words that end as participles do and are nouns, verbs or adjectives of their own. */
const OTHER_WORDS = new Set(
  `string setting settings thing something nothing ring king building heading timing rating billing ending warning padding
  spacing listing feed seed speed need embed red bed exceed meeting mapping binding routing logging polling messaging testing
  spelling styling loading nesting indexing ordering encoding proceed`.split(/\s+/),
);

const isBareParticiple = (name: string) =>
  !(name in EXCEPTIONS) &&
  (IRREGULAR_PARTICIPLES.has(name) || (/^[a-z]{2,}(?:ed|ing)$/.test(name) && !OTHER_WORDS.has(name)));

type SyntaxNode = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

/** Returns what is wrong with the names of one file, a line each, and adds what it exports to `places`. */
export function nameProblems(path: string, text: string, places: Map<string, Set<string>>): string[] {
  const problems: string[] = [];
  const lineOf = (position: number) => text.slice(0, position).split('\n').length;
  const check = (name: unknown, node: SyntaxNode, scope: SyntaxNode | undefined) => {
    if (typeof name !== 'string' || !isBareParticiple(name)) return;
    const line = lineOf(node.start);
    if (scope !== undefined && lineOf(scope.end) - line < SHORT_SCOPE_LINES) return;
    problems.push(`${path}:${line} ${name}: a name contains its noun`);
  };
  /** @param blocks the functions, blocks and loops around the node, the innermost last */
  const visit = (node: SyntaxNode, blocks: readonly SyntaxNode[]): void => {
    const scope = blocks.at(-1);
    switch (node.type) {
      case 'VariableDeclarator':
        for (const binding of bindingsOf(node.id)) check(binding.name, binding, scope);
        break;
      case 'FunctionDeclaration':
        if (isNode(node.id)) check(node.id.name, node, scope);
        break;
      case 'CatchClause':
        for (const binding of bindingsOf(node.param)) check(binding.name, binding, node);
        break;
      case 'TSPropertySignature':
      case 'PropertyDefinition':
      case 'MethodDefinition':
        if (isNode(node.key)) check(node.key.name, node, undefined);
        break;
      case 'ExportNamedDeclaration': {
        if (!isNode(node.declaration) || !ONE_NAME_SPACE.test(path)) break;
        for (const declaration of [node.declaration.declarations ?? node.declaration].flat()) {
          for (const { name } of isNode(declaration) ? bindingsOf(declaration.id) : [])
            if (typeof name === 'string') places.set(name, (places.get(name) ?? new Set()).add(path));
        }
      }
    }
    if (Array.isArray(node.params) && node.type !== 'TSTypeParameterInstantiation') {
      for (const parameter of node.params)
        for (const binding of bindingsOf(parameter)) check(binding.name, binding, node);
    }
    const inner = /Function|Block|Program|For|Switch/.test(node.type) ? [...blocks, node] : blocks;
    for (const child of Object.values(node)) for (const one of [child].flat()) if (isNode(one)) visit(one, inner);
  };
  const { program } = parseSync(path, text);
  if (isNode(program)) visit(program, []);
  return problems;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Returns the identifiers that a pattern binds: `a`, `{ a, b: c = 1 }`, `[a, ...b]`. */
function bindingsOf(pattern: unknown): readonly SyntaxNode[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [pattern];
  const parts = ['properties', 'elements', 'value', 'argument', 'left', 'parameter'].flatMap(
    (key) => pattern[key] ?? [],
  );
  return parts.flatMap(bindingsOf);
}

export function treeProblems(files: ReadonlyMap<string, string>): string[] {
  const places = new Map<string, Set<string>>();
  const problems = [...files].flatMap(([path, text]) => nameProblems(path, text, places));
  for (const [name, paths] of places)
    if (paths.size > 1 && !(name in REPEATED))
      problems.push(`${[...paths].join(' ')} ${name}: what is exported has a name of its own`);
  return problems;
}

if (import.meta.main) {
  const paths = execFileSync('git', ['ls-files', ...FOLDERS], { encoding: 'utf8' }).split('\n');
  const files = paths.filter((path) => /\.(?:[cm]?ts|tsx|mjs)$/.test(path));
  const problems = treeProblems(new Map(files.map((path) => [path, readFileSync(path, 'utf8')])));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
