import { existsSync, globSync, readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { commandLine } from '../../../cli/program.ts';
import { FUNCTIONS, logOutput, OUTPUTS } from '../../../src/deployment/outputs.ts';
import { allCode, allDocuments, type Document, inlineCode, samples } from './documents.ts';
import { commandsIn } from './shell-commands.ts';

const documents = allDocuments();
const scriptsOf = (path: string): Record<string, string> => JSON.parse(readFileSync(path, 'utf8')).scripts ?? {};

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

const program = await commandLine();

/** Returns why the command line refuses these words; undefined when it would run them. */
function refusal(words: readonly string[], { whole }: { whole: boolean }): string | undefined {
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  }
  const input = words.filter((word, index) => word !== '--local' || words[index + 1]?.endsWith('.json'));
  try {
    program.parse([...input], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // In a sentence, a command may be named without its arguments.
    const incomplete = ['commander.missingArgument', 'commander.missingMandatoryOptionValue', 'commander.help'];
    if (error.code === 'commander.helpDisplayed' || (!whole && incomplete.includes(error.code))) return undefined;
    return error.message;
  }
}

function refusedCommands(document: Document): readonly string[] {
  const blocks = samples(document).flatMap(({ code }) => commandsIn(code, /(?:\bnpx --no-install |^ +)va-wave(?= )/gm));
  const sentences = inlineCode(document).flatMap((code) => commandsIn(code, /^npx --no-install va-wave\b(?! …)/g));
  return [
    ...blocks.map((words) => ({ words, problem: refusal(words, { whole: true }) })),
    ...sentences.map((words) => ({ words, problem: refusal(words, { whole: false }) })),
  ].flatMap(({ words, problem }) =>
    problem === undefined ? [] : [`${document.path}: va-wave ${words.join(' ')}: ${problem}`],
  );
}

// Outside of a clone, npx without --no-install runs a package of this name from the public registry, whoever published it.
test('no document has a command that could fetch a package named va-wave', () => {
  expect(documents.filter(({ text }) => /npx va-wave/.test(text)).map(({ path }) => path)).toEqual([]);
});

test('every command of npx --no-install va-wave that a document states would run', () => {
  expect(documents.flatMap(refusedCommands)).toEqual([]);
});

test('docs/cli.md has every command with what its help says', () => {
  const rows = (command: Command, path: readonly string[] = []): readonly string[] =>
    command.commands.length === 0
      ? [`- \`${path.join(' ')}\`: ${command.description()}`]
      : command.commands.flatMap((child) => rows(child, [...path, child.name()]));
  const page = readFileSync('docs/cli.md', 'utf8');
  expect(page.split('\n').filter((line) => line.startsWith('- `'))).toEqual(rows(program));
});

test('every npm script exists, and every option of npm start', () => {
  const known = new Set(
    ['package.json', 'packages/receiver/package.json', ...documents.map(packageBeside)]
      .filter((path) => existsSync(path))
      .flatMap((path) => Object.keys(scriptsOf(path))),
  );
  const started = readFileSync('local/start.ts', 'utf8');
  const wrong = documents.flatMap((document) =>
    allCode(document).flatMap((code) => [
      ...[...code.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)]
        .map(([, script, short]) => script ?? short ?? '')
        .filter((script) => !known.has(script)),
      ...commandsIn(code, /\bnpm start --(?= )/g)
        .flat()
        .filter((word) => word.startsWith('--') && !started.includes(`'${word}`)),
    ]),
  );
  expect(wrong).toEqual([]);
});

test('docs/development.md says what every npm script does', () => {
  const text = readFileSync('docs/development.md', 'utf8');
  const isNamed = (script: string) => new RegExp(`^\\| \`npm (?:run )?${script}\` \\| `, 'm').test(text);
  expect(Object.keys(scriptsOf('package.json')).filter((script) => !isNamed(script))).toEqual([]);
});

function packageBeside({ path }: Document): string {
  return path.replace(/[^/]*$/, 'package.json');
}

test('every program that npx or node runs exists', () => {
  const wrong = documents.flatMap((document) =>
    allCode(document).flatMap((code) => [
      ...[...code.matchAll(/\bnpx (?:--no-install )?([\w-]+)/g)]
        .map(([, name = '']) => name)
        .filter((name) => name !== 'va-wave' && !existsSync(`node_modules/.bin/${name}`)),
      ...[...code.matchAll(/\b(?:node|npm test --) ((?:scripts|test|examples|local|bench)\/[\w./-]+)/g)]
        .map(([, path = '']) => path)
        .filter((path) => !existsSync(path)),
    ]),
  );
  expect(wrong).toEqual([]);
});

test('every stack output that a document names exists', () => {
  const named = documents.flatMap((document) =>
    [...document.text.matchAll(/<(\w+) output>|\boutput `(\w+)`/g)].map(([, placeholder, name]) => placeholder ?? name),
  );
  expect(named.length).toBeGreaterThan(2);
  const outputs: readonly (string | undefined)[] = [...Object.values(OUTPUTS), ...FUNCTIONS.map(logOutput)];
  expect(named.filter((name) => !outputs.includes(name))).toEqual([]);
});

const sources = globSync('{src,lambdas}/**/*.ts').map((path) => readFileSync(path, 'utf8'));

test('what a document searches for with va-wave logs is in the code that logs', () => {
  const searched = documents.flatMap((document) =>
    allCode(document).flatMap((code) =>
      [...code.matchAll(/va-wave logs [^`\n]*--containing (?:"([^"]+)"|(\w+))/g)].map(
        ([, quoted, word]) => quoted ?? word ?? '',
      ),
    ),
  );
  expect(searched.length).toBeGreaterThan(5);
  // ERROR is the level that the logger writes.
  const missing = searched.filter((text) => text !== 'ERROR' && !sources.some((source) => source.includes(text)));
  expect(missing).toEqual([]);
});
