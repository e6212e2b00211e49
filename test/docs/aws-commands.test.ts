import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as logs from '@aws-sdk/client-cloudwatch-logs';
import * as cognito from '@aws-sdk/client-cognito-identity-provider';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as secretsmanager from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { allDocuments } from './documents.ts';
import { type AwsCommand, awsCommands } from './shell-commands.ts';

/**
 * Compares the commands of AWS's command line in the documents with AWS's model of each operation, which is in the SDK. The command line
 * derives its commands and options from the same model. `test/e2e/deploy` runs these commands.
 */
const SERVICES: Readonly<Record<string, object>> = {
  cloudformation,
  logs,
  'cognito-idp': cognito,
  dynamodb,
  secretsmanager,
};
/** Commands whose models are in no installed package. `test/e2e/deploy` checks them with the command line. */
const ELSEWHERE = new Set(['cloudwatch put-metric-alarm', 's3 rb', 'cloudformation deploy']);
/** Options of the command line that belong to no operation. */
const GLOBAL = new Set(['region', 'query', 'output']);

const BOOLEAN = 2;
/** A structure as the SDK keeps it: its members' names, and their schemas. */
const structure = z.tuple(
  [z.literal(3), z.string(), z.string(), z.unknown(), z.array(z.string()), z.array(z.unknown())],
  z.unknown(),
);
const operation = z.tuple([z.literal(9), z.string(), z.string(), z.unknown(), z.unknown(), z.unknown()], z.unknown());
const thunk = z.custom<() => unknown>((value) => typeof value === 'function');

const resolved = (schema: unknown): unknown => {
  const later = thunk.safeParse(schema);
  return later.success ? later.data() : schema;
};

type Members = { readonly schemas: ReadonlyMap<string, unknown>; readonly required: readonly string[] };

function membersOf(schema: unknown): Members | undefined {
  const { success, data } = structure.safeParse(resolved(schema));
  if (!success) return undefined;
  const [, , , , names, schemas, count] = data;
  // The required members come first.
  return {
    schemas: new Map(names.map((name, index) => [name, schemas[index]])),
    required: names.slice(0, z.number().default(0).parse(count)),
  };
}

/** `TableName` as the command line spells it: `table-name`. */
const kebab = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
const pascal = (name: string) => name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const inputOf = (service: object, name: string): Members | undefined => {
  const found = operation.safeParse(new Map(Object.entries(service)).get(`${name}$`));
  return found.success ? membersOf(found.data[4]) : undefined;
};

/** Returns the problems of a command; none when AWS knows the command and its options. */
function problems({ words, whole }: AwsCommand): readonly string[] {
  const [serviceName = '', command = '', ...rest] = words;
  if (ELSEWHERE.has(`${serviceName} ${command}`)) return [];
  const service = SERVICES[serviceName];
  if (service === undefined) return [`${serviceName} is no service that is known here`];
  if (command === 'wait') {
    const waiter = `waitUntil${pascal(rest[0] ?? '')}`;
    return waiter in service ? [] : [`${serviceName} has no ${waiter}`];
  }
  const input = inputOf(service, pascal(command));
  if (input === undefined) return [`${serviceName} has no operation ${pascal(command)}`];
  const named = new Set<string>();
  const wrong = optionsOf(rest).flatMap(({ name, value }) => {
    if (GLOBAL.has(name)) return value === undefined ? [`--${name} has no value`] : [];
    const on = name.replace(/^no-/, '');
    const member = [...input.schemas.keys()].find((one) => kebab(one) === name || kebab(one) === on);
    if (member === undefined) return [`${pascal(command)} has no --${name}`];
    named.add(member);
    return valueProblems(name, value, input.schemas.get(member));
  });
  const missing = whole ? input.required.filter((name) => !named.has(name)) : [];
  return [...wrong, ...missing.map((name) => `${pascal(command)} needs --${kebab(name)}`)];
}

function valueProblems(name: string, value: string | undefined, schema: unknown): readonly string[] {
  const isFlag = resolved(schema) === BOOLEAN;
  if (isFlag !== (value === undefined)) return [isFlag ? `--${name} takes no value` : `--${name} has no value`];
  if (name.startsWith('no-') && !isFlag) return [`--${name} is no switch`];
  const inner = membersOf(schema);
  if (inner === undefined) return [];
  // Shorthand: Enabled=true,AttributeName=expires_at
  const keys = (value ?? '').split(',').map((pair) => pair.split('=')[0] ?? '');
  return keys.filter((key) => !inner.schemas.has(key)).map((key) => `--${name} has no ${key}`);
}

function optionsOf(words: readonly string[]) {
  return words.flatMap((word, index) => {
    if (!word.startsWith('--')) return [];
    const next = words[index + 1];
    return [{ name: word.slice(2), value: next?.startsWith('--') ? undefined : next }];
  });
}

test('AWS knows every command of aws in the documents, with its options', () => {
  const commands = allDocuments().flatMap((document) =>
    awsCommands(document).map((command) => ({ path: document.path, command })),
  );
  expect(commands.length).toBeGreaterThan(20);
  const wrong = commands.flatMap(({ path, command }) =>
    problems(command).map((problem) => `${path}: aws ${command.words.join(' ')}: ${problem}`),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['aws dynamodb delete-tables --table-name x', 'dynamodb has no operation DeleteTables'],
  ['aws dynamo delete-table --table-name x', 'dynamo is no service that is known here'],
  ['aws dynamodb delete-table --name x', 'DeleteTable has no --name, DeleteTable needs --table-name'],
  ['aws dynamodb delete-table', 'DeleteTable needs --table-name'],
  ['aws dynamodb delete-table --table-name', '--table-name has no value'],
  [
    'aws dynamodb update-table --table-name x --deletion-protection-enabled true',
    '--deletion-protection-enabled takes no value',
  ],
  ['aws dynamodb update-table --table-name x --no-billing-mode y', '--no-billing-mode is no switch'],
  [
    'aws dynamodb update-time-to-live --table-name x --time-to-live-specification Enabled=true,Attribute=y',
    '--time-to-live-specification has no Attribute',
  ],
  ['aws dynamodb wait table-is-there --table-name x', 'dynamodb has no waitUntilTableIsThere'],
])('finds in "%s": %s', (line, problem) => {
  const [command] = awsCommands({ path: 'x.md', text: ['```sh', line, '```'].join('\n') });
  expect(command === undefined ? [] : problems(command)).toEqual(problem.split(/, (?=[A-Z])/));
});
