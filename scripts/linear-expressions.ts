import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Argument, parseSync, type TemplateLiteral, Visitor } from 'oxc-parser';
import { checkSync } from 'recheck';

/**
 * Checks that no text of others meets an expression that backtracks: `node scripts/linear-expressions.ts`, a part of `npm run check`. recheck proves of each
 * regular expression of these folders that a search costs no more than in proportion to the length of the text, and in reasonable time.
 */
const FOLDERS = ['cli', 'dashboard', 'examples', 'lambdas', 'local/demo', 'packages', 'src', 'widget'];

/**
 * Expressions without a proof, by path and text, each with its reason: they meet text of our own, or text whose length a limit of at most 512
 * characters, which stands beside the expression, bounds before.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'cli/connection.ts `^(\\\\w*)${OUTPUTS.baseUrl}([0-9A-F]{8})?$`': 'names of outputs, which CloudFormation bounds',
  "cli/connection.ts `^${construct.replace(/\\W|_/g, '')}(\\\\w+)[0-9A-F]{8}$`":
    'names of outputs, which CloudFormation bounds',
  "src/domain/auth/cors.ts `^${PUBLIC_OPERATIONS.submitForm.path.replaceAll(/\\{\\w+\\}/g, '([^/]+)')}$`":
    'the parts of our own path end at slashes',
  "src/functions/dashboard-api.ts `^${path.replaceAll(/\\{(\\w+)\\}/g, '(?<$1>[^/]+)')}$`":
    'the parts of our own path end at slashes',
};

type Place = { readonly path: string; readonly line: number; readonly text: string; readonly flags: string };
/** A text of code, or the parts from which it is put together. Undefined for a part that only the running program knows. */
type Text = () => string | undefined;

const SCRIPT = /\.(?:tsx?|m?js)$/;
/** Where the other languages have an expression, and its text as JavaScript would write it. */
const LITERALS: Readonly<Record<string, readonly [RegExp, (literal: string) => string]>> = {
  py: [
    /\bre\.[a-z]+\(\s*[rb]?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/gs,
    (literal) => literal.replaceAll('(?P<', '(?<'),
  ],
  php: [/'\/((?:[^'\\]|\\.)+)\/[A-Za-z]*'/g, (literal) => literal.replaceAll('\\\\', '\\')],
  rb: [/[(,=~] ?\/((?:[^/\\\n]|\\.)+)\//g, (literal) => literal.replace('\\A', '^').replace('\\z', '$')],
  java: [
    /\b(?:compile|matches|replaceAll|split)\(\s*"((?:[^"\\]|\\.)*)"/g,
    (literal) => literal.replace(/\\(["\\])/g, '$1'),
  ],
};
/** No code, or, as Go, with an engine that takes a linear time. */
const WITHOUT_BACKTRACKING = /(?:^|\/)(?:[^./]*|\.gitignore|[^/]*\.(?:css|go|html|json|md|mod|svg|txt|ya?ml))$/;

/** Returns what is wrong with the expressions of these files, a line each. */
export function expressionProblems(files: ReadonlyMap<string, string>): string[] {
  // The other engines of recheck are binaries and Java.
  process.env.RECHECK_SYNC_BACKEND = 'pure';
  const problems: string[] = [];
  const constants = new Map<string, Text>();
  const expressions: [Place, source: Text][] = [];
  for (const [path, text] of files) {
    const placeOf = (start: number, end: number, flags = ''): Place => {
      return { path, line: text.slice(0, start).split('\n').length, text: text.slice(start, end), flags };
    };
    const [form, scriptText] = LITERALS[path.slice(path.lastIndexOf('.') + 1)] ?? [];
    if (form !== undefined && scriptText !== undefined) {
      for (const { 0: call, 1: source, 2: other = '', index } of text.matchAll(form))
        expressions.push([placeOf(index, index + call.length), () => scriptText(source ?? other)]);
    } else if (SCRIPT.test(path)) readScript(path, text, placeOf);
    else if (!WITHOUT_BACKTRACKING.test(path))
      problems.push(`${path}: nothing here reads the expressions of its language`);
  }
  function readScript(path: string, text: string, placeOf: (start: number, end: number, flags?: string) => Place) {
    const templateText = ({ quasis, expressions: parts }: TemplateLiteral, raw: boolean): Text => {
      const texts = parts.map(textOf);
      return () => {
        const values = texts.map((part) => part());
        if (values.includes(undefined)) return undefined;
        return quasis.map(({ value }, at) => (raw ? value.raw : value.cooked) + (values[at] ?? '')).join('');
      };
    };
    const textOf = (node: Argument | undefined): Text => {
      if (node?.type === 'Literal') return () => ('regex' in node ? node.regex.pattern : String(node.value));
      if (node?.type === 'Identifier') return () => constants.get(node.name)?.();
      if (node?.type === 'TemplateLiteral') return templateText(node, false);
      if (node?.type === 'TaggedTemplateExpression') return templateText(node.quasi, true);
      return () => undefined;
    };
    const readConstructor = (callee: string, [source, flags]: readonly Argument[]) => {
      if (callee === 'RegExp' && source !== undefined)
        expressions.push([placeOf(source.start, source.end, textOf(flags)() ?? ''), textOf(source)]);
    };
    new Visitor({
      VariableDeclarator: ({ id, init }) => {
        if (id.type === 'Identifier' && init !== null) constants.set(id.name, textOf(init));
      },
      Literal: (node) => {
        if (!('regex' in node)) return;
        const { pattern, flags } = node.regex;
        expressions.push([placeOf(node.start, node.end, flags), () => pattern]);
      },
      NewExpression: ({ callee, arguments: given }) => readConstructor(text.slice(callee.start, callee.end), given),
      CallExpression: ({ callee, arguments: given }) => readConstructor(text.slice(callee.start, callee.end), given),
    }).visit(parseSync(path, text).program);
  }
  const needless = new Set(Object.keys(EXCEPTIONS).filter((key) => files.has(key.slice(0, key.indexOf(' ')))));
  for (const [{ path, line, text, flags }, source] of expressions) {
    const problem = problemOf(source(), flags);
    if (problem === undefined) continue;
    if (needless.delete(`${path} ${text}`) || `${path} ${text}` in EXCEPTIONS) continue;
    problems.push(`${path}:${line} ${text}: ${problem}`);
  }
  return [...problems, ...[...needless].map((key) => `${key}: needs no exception`)];
}

function problemOf(source: string | undefined, flags: string): string | undefined {
  if (source === undefined) return 'only the running program knows its parts';
  const verdict = checkSync(source, flags, { checker: 'automaton', timeout: 20_000 });
  if (verdict.status === 'safe') return undefined;
  return verdict.status === 'vulnerable' ? verdict.complexity.summary : `no proof (${verdict.error.kind})`;
}

if (import.meta.main) {
  const paths = execFileSync('git', ['ls-files', ...FOLDERS], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const problems = expressionProblems(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
