import { DOCUMENTED_LIMITS, documentedProblem } from '../../../../local/cloud/constraints/documented-limits.ts';
import { modelProblem } from '../../../../local/cloud/constraints/model-constraints.ts';
import type { JsonRecord } from '../../../../local/cloud/json.ts';

const text = (length: number) => 'x'.repeat(length);
const batch = (...ids: readonly string[]) => ({ Entries: ids.map((Id) => ({ Id, MessageBody: 'x' })) });
const entry = (more: JsonRecord) => ({ Source: 's', DetailType: 'd', Detail: '{}', ...more });
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const sum = (operators: number) => ({ UpdateExpression: `SET a = b${' + c'.repeat(operators - 1)}` });

/** Of each documented limit, in the order of the table: parameters at the limit, and beyond it. */
const DOCUMENTED: Readonly<Record<keyof typeof DOCUMENTED_LIMITS, readonly (readonly [JsonRecord, JsonRecord])[]>> = {
  'sqs message': [
    [{ MessageBody: 'x' }, { MessageBody: '' }],
    [{ MessageBody: '\u{1f600}' }, { MessageBody: '\uffff' }],
    [
      { MessageBody: 'x', MessageGroupId: text(128) },
      { MessageBody: 'x', MessageGroupId: text(129) },
    ],
    [
      { MessageBody: 'x', MessageGroupId: '!"~' },
      { MessageBody: 'x', MessageGroupId: 'bad id' },
    ],
    [
      { MessageBody: 'x', DelaySeconds: 900 },
      { MessageBody: 'x', DelaySeconds: 901 },
    ],
    [
      { MessageBody: 'x', DelaySeconds: 0 },
      { MessageBody: 'x', DelaySeconds: -1 },
    ],
  ],
  'sqs SendMessageBatch': [
    [batch('a'), batch()],
    [batch(...'0123456789'), batch(...'0123456789a')],
    [batch('a', 'b'), batch('a', 'a')],
  ],
  'events PutEvents': [
    [{ Entries: [entry({ Detail: text(1_048_574) })] }, { Entries: [entry({ Detail: text(1_048_575) })] }],
  ],
  'events entry': [
    [entry({}), entry({ Source: '' })],
    [entry({}), entry({ DetailType: '' })],
    [entry({}), entry({ Detail: '' })],
    [entry({ Source: 'aws' }), entry({ Source: 'aws.x' })],
    [entry({ DetailType: text(128) }), entry({ DetailType: text(129) })],
    [entry({ Source: text(256) }), entry({ Source: text(257) })],
    [entry({ Detail: nested(1000) }), entry({ Detail: nested(1001) })],
    [entry({ Detail: '{"a":[-9223372036854775808]}' }), entry({ Detail: '{"a":9223372036854775808}' })],
  ],
  dynamodb: [
    [{ FilterExpression: text(4096) }, { FilterExpression: text(4097) }],
    [sum(300), sum(301)],
    [
      { FilterExpression: `a IN (${text(100).split('').join(',')})` },
      { FilterExpression: `a IN (${text(101).split('').join(',')})` },
    ],
  ],
};

const CASES = Object.entries(DOCUMENTED_LIMITS).flatMap(([about, limits]) =>
  limits.map(({ rule }, index) => ({ about, rule, index })),
);

test.each(CASES)('$about: $rule, and no more', ({ about, rule, index }) => {
  const subject = Object.entries(DOCUMENTED).find(([name]) => name === about);
  const [good, bad] = subject?.[1][index] ?? [];
  if (good === undefined || bad === undefined) throw new Error('The limit has no case');
  const problem = (parameters: JsonRecord) => {
    for (const name of ['sqs message', 'sqs SendMessageBatch', 'events PutEvents', 'events entry', 'dynamodb'] as const)
      if (name === about) return documentedProblem(name, parameters)?.message;
    throw new Error(`There is no ${about}`);
  };
  expect(problem(good)).toBeUndefined();
  expect(problem(bad)).toContain(rule);
});

test('an integer that is a text, or a number that is no integer, has no limit', () => {
  const Detail = '{"a":"12345678901234567890","b\\"12345678901234567890":1.5e30,"c":0.12345678901234567890}';
  expect(documentedProblem('events entry', entry({ Detail }))).toBeUndefined();
});

const SECRET = { SecretId: 'arn' };
const NAME = 'Value at';
test.each<[service: string, operation: string, good: JsonRecord, bad: JsonRecord]>([
  [
    'secretsmanager',
    'PutSecretValue',
    { ...SECRET, SecretString: text(65_536) },
    { ...SECRET, SecretString: text(65_537) },
  ],
  [
    'secretsmanager',
    'PutSecretValue',
    { ...SECRET, ClientRequestToken: text(32) },
    { ...SECRET, ClientRequestToken: text(31) },
  ],
  [
    'dynamodb',
    'BatchExecuteStatement',
    { Statements: Array(25).fill({ Statement: text(8192) }) },
    { Statements: Array(26).fill({ Statement: 'x' }) },
  ],
  [
    'dynamodb',
    'BatchExecuteStatement',
    { Statements: [{ Statement: 'x' }] },
    { Statements: [{ Statement: text(8193) }] },
  ],
  ['events', 'PutEvents', { Entries: Array(10).fill({}) }, { Entries: Array(11).fill({}) }],
  ['events', 'PutEvents', { Entries: [{}] }, { Entries: [] }],
  [
    'cognito-idp',
    'AdminGetUser',
    { UserPoolId: 'us-east-1_x', Username: text(128) },
    { UserPoolId: 'us-east-1_x', Username: text(129) },
  ],
  [
    'cognito-idp',
    'AdminGetUser',
    { UserPoolId: 'us-east-1_x', Username: 'é' },
    { UserPoolId: 'us-east-1_x', Username: 'a b' },
  ],
  ['dynamodb', 'GetItem', { TableName: 't', Key: { id: { S: 'x' } } }, { TableName: 't' }],
  ['dynamodb', 'Query', { TableName: 't', Select: 'COUNT' }, { TableName: 't', Select: 'SOME' }],
  ['sqs', 'SendMessage', { QueueUrl: 'q', MessageBody: 'x' }, { QueueUrl: 'q', MessageBody: 1 }],
  [
    'sqs',
    'SendMessage',
    { QueueUrl: 'q', MessageBody: 'x', DelaySeconds: 1 },
    { QueueUrl: 'q', MessageBody: 'x', DelaySeconds: 1.5 },
  ],
])('%s %s: the limit of the model passes, and one more is refused', (service, operation, good, bad) => {
  expect(modelProblem(service, operation, good)).toBeUndefined();
  expect(modelProblem(service, operation, bad)).toContain(NAME);
});
