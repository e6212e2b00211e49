import type { Json } from '../../../local/cloud/json.ts';
import { EMULATED } from '../../../local/cloud/template/resource-types.ts';
import { Stack } from '../../../local/cloud/template/stack.ts';

const addresses = { edge: '127.0.0.1:1', api: '127.0.0.1:2', gateway: '127.0.0.1:3', login: '127.0.0.1:4' };

/** A stack that is called `S`. */
const stackOf = (Resources: Record<string, { Type: string; Properties: Record<string, Json>; Condition?: string }>) =>
  new Stack({
    addresses,
    assembly: { stackName: 'S', assetPath: () => '/none', template: { Resources, Outputs: {} } },
    secretString: (arn) => (arn.endsWith('json') ? '{"key":"inner"}' : `secret of ${arn}`),
  });
const thing = stackOf({ Thing: { Type: 'AWS::DynamoDB::Table', Properties: {} } });

const secretArn = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:name';

test.each<[string, Json, Json]>([
  ['Ref', { Ref: 'Thing' }, 'S-Thing'],
  ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
  ['GetAtt', { 'Fn::GetAtt': ['Thing', 'Arn'] }, 'arn:aws:dynamodb:us-east-1:000000000000:table/S-Thing'],
  ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'Thing' }, 3]] }, 'a-S-Thing-3'],
  ['Join of a list that is computed', { 'Fn::Join': ['+', { 'Fn::Split': ['/', 'a/b'] }] }, 'a+b'],
  ['Sub', { 'Fn::Sub': `\${Thing}/\${AWS::Region}` }, 'S-Thing/us-east-1'],
  ['Select of Split', { 'Fn::Select': [2, { 'Fn::Split': ['/', 'http://host/path'] }] }, 'host'],
  ['a secret', `{{resolve:secretsmanager:${secretArn}:SecretString:::}}`, `secret of ${secretArn}`],
  ['a key of a secret', `x{{resolve:secretsmanager:${secretArn}json:SecretString:key::}}y`, 'xinnery'],
  [
    'a secret in pieces',
    { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { 'Fn::Sub': secretArn }, ':SecretString:::}}']] },
    `secret of ${secretArn}`,
  ],
  ['an object that is no expression to itself', { Ref: 'a', and: ['more'] }, { Ref: 'a', and: ['more'] }],
])('resolves %s', (_, expression, expected) => {
  expect(thing.resolve(expression)).toEqual(expected);
});

test.each<[Json, string]>([
  [{ 'Fn::Base64': 'x' }, 'does not know Fn::Base64'],
  [{ 'Fn::ImportValue': 'x' }, 'does not know Fn::ImportValue'],
  [{ 'Fn::If': ['Yes', 'a', 'b'] }, 'does not know Fn::If'],
  [{ 'Fn::Sub': [`\${x}`, { x: 1 }] }, 'Fn::Sub wants text'],
  [{ 'Fn::GetAtt': 'Thing.Arn' }, 'Fn::GetAtt wants a list'],
  [{ Ref: 'AWS::NoValue' }, 'does not know the pseudo parameter'],
  [{ Ref: 'AWS::NotificationARNs' }, 'does not know the pseudo parameter'],
  [{ 'Fn::GetAtt': ['Thing', 'Colour'] }, 'does not know the attribute Thing.Colour'],
  [{ 'Fn::Select': [5, ['a']] }, 'selects nothing'],
  ['{{resolve:ssm:name:1}}', 'does not know the dynamic reference'],
])('refuses %j', (expression, message) => {
  expect(() => thing.resolve(expression)).toThrow(message);
});

describe('a template', () => {
  const read = (Resources: Record<string, { Type: string; Properties?: Record<string, Json>; Condition?: string }>) => {
    const all = Object.entries(Resources).map(([id, resource]) => [id, { Properties: {}, ...resource }]);
    const stack = stackOf(Object.fromEntries(all));
    return (Object.keys(EMULATED) as (keyof typeof EMULATED)[]).flatMap((type) => stack.all(type));
  };

  const role = (Statement: Json): Record<string, { Type: string; Properties: Record<string, Json> }> => ({
    R: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [] },
      },
    },
    P: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyName: 'p',
        PolicyDocument: { Version: '2012-10-17', Statement },
        Roles: [{ Ref: 'R' }],
      },
    },
  });
  const statement = (more: Record<string, Json>) => () =>
    read(role([{ Effect: 'Allow', Action: 'sqs:*', Resource: '*', ...more }]));
  const resource = (Type: string, Properties: Record<string, Json>) => () => read({ X: { Type, Properties } });
  const keys = {
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  };
  const patterns: Json[] = [
    { source: ['shop'] },
    { detail: { status: ['paid'] } },
    { 'detail-type': 'order.placed' },
    { 'detail-type': [{ prefix: 'order.' }] },
    { 'detail-type': [{ 'anything-but': 'x' }] },
    { 'detail-type': [{ exists: true }] },
    { $or: [] },
  ];
  const rule = (more: Record<string, Json>) =>
    resource('AWS::Events::Rule', { State: 'ENABLED', Targets: [], ...more });

  test('gets the same names in every run', () => {
    const resources = { Q: { Type: 'AWS::SQS::Queue' } };
    expect(read(resources)).toEqual(read(resources));
    expect(read(resources)[0]).toMatchObject({
      arn: 'arn:aws:sqs:us-east-1:000000000000:S-Q',
      ref: 'http://127.0.0.1:3/000000000000/S-Q',
    });
  });

  test.each<[string, () => unknown, string]>([
    [
      'a type',
      () => read({ X: { Type: 'AWS::RDS::DBInstance' } }),
      'does not know the resource type AWS::RDS::DBInstance (X)',
    ],
    [
      'a property',
      () => read({ Q: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } } }),
      'does not know this of AWS::SQS::Queue Q: Unrecognized key: "FifoQueue"',
    ],
    [
      'a condition of its own',
      () => read({ Q: { Type: 'AWS::SQS::Queue', Condition: 'Sometimes' } }),
      'does not know the condition of Q',
    ],
    [
      'a condition key',
      statement({ Condition: { Bool: { 'aws:ViaAWSService': 'true' } } }),
      'Unrecognized key: "aws:ViaAWSService"',
    ],
    ...[
      'StringEquals',
      'StringLike',
      'StringNotEquals',
      'ForAllValues:StringLike',
      'BoolIfExists',
      'NumericLessThan',
      'IpAddress',
      'Null',
      'constructor',
    ].map((operator): [string, () => unknown, string] => [
      `the operator ${operator}`,
      statement({ Condition: { [operator]: { 'aws:SourceArn': '1' } } }),
      `Unrecognized key: "${operator}"`,
    ]),
    ['an action', statement({ Action: 'kms:Decrypt' }), 'Action: not an action of a known service'],
    ['a variable', statement({ Resource: `\${aws:username}` }), 'policy variables'],
    ['an element', statement({ Surprise: 1 }), 'Unrecognized key: "Surprise"'],
    ['NotAction', statement({ NotAction: 'sqs:*' }), 'Unrecognized key: "NotAction"'],
    ['NotResource', statement({ NotResource: '*' }), 'Unrecognized key: "NotResource"'],
    ['one account as principal', statement({ Principal: { AWS: '111122223333' } }), 'Statement.0.Principal'],
    [
      'a global index',
      resource('AWS::DynamoDB::Table', { ...keys, GlobalSecondaryIndexes: [] }),
      'AWS::DynamoDB::Table X: Unrecognized key: "GlobalSecondaryIndexes"',
    ],
    ['provisioned capacity', resource('AWS::DynamoDB::Table', { ...keys, BillingMode: 'PROVISIONED' }), 'BillingMode'],
    ['a delay', resource('AWS::SQS::Queue', { DelaySeconds: 5 }), 'Unrecognized key: "DelaySeconds"'],
    ['a rule that is off', rule({ State: 'DISABLED' }), 'AWS::Events::Rule X: State'],
    ...patterns.map((EventPattern): [string, () => unknown, string] => [
      `the event pattern ${JSON.stringify(EventPattern)}`,
      rule({ EventPattern }),
      'The local cloud does not know this of AWS::Events::Rule X: EventPattern',
    ]),
    [
      'a secret with a fixed value',
      resource('AWS::SecretsManager::Secret', { SecretString: 'x' }),
      'AWS::SecretsManager::Secret X: ',
    ],
    [
      'a permission for an account',
      resource('AWS::Lambda::Permission', { Action: 'a', FunctionName: 'f', Principal: '1', SourceArn: 'arn' }),
      'AWS::Lambda::Permission X: Principal',
    ],
  ])('with %s is refused, because the local cloud does not emulate it', (_, start, message) => {
    expect(start).toThrow(message);
  });
});
