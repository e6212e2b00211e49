import type { Json } from '../../../../local/cloud/json.ts';
import { EMULATED } from '../../../../local/cloud/template/resource-types.ts';
import { Stack } from '../../../../local/cloud/template/stack.ts';

const addresses = { edge: '127.0.0.1:1', api: '127.0.0.1:2', gateway: '127.0.0.1:3', login: '127.0.0.1:4' };

/** A stack that is called `S`. */
const stackOf = (Resources: Record<string, { Type: string; Properties: Record<string, Json>; Condition?: string }>) =>
  new Stack({
    addresses,
    assembly: { stackName: 'S', assetPath: () => '/none', template: { Resources, Outputs: {} } },
    secretString: (arn) => `secret of ${arn}`,
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
  [
    'a secret in pieces',
    { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { 'Fn::Sub': secretArn }, ':SecretString:::}}']] },
    `secret of ${secretArn}`,
  ],
  [
    'a secret of Sub',
    { 'Fn::Sub': `{{resolve:secretsmanager:${secretArn}:SecretString:::}}` },
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
  [{ 'Fn::Sub': '{{resolve:ssm:name:1}}' }, 'does not know the dynamic reference'],
  [`{{resolve:secretsmanager:${secretArn}:SecretString:key::}}`, 'does not know the dynamic reference'],
])('refuses %j', (expression, message) => {
  expect(() => thing.resolve(expression)).toThrow(message);
});

describe('a template', () => {
  type Resources = Record<string, { Type: string; Properties?: Record<string, Json>; Condition?: string }>;
  const read = (Resources: Resources) => {
    const all = Object.entries(Resources).map(([id, resource]) => [id, { Properties: {}, ...resource }]);
    const stack = stackOf(Object.fromEntries(all));
    return (Object.keys(EMULATED) as (keyof typeof EMULATED)[]).flatMap((type) => stack.all(type));
  };

  test('gets the same names in every run', () => {
    const resources = { Q: { Type: 'AWS::SQS::Queue' } };
    expect(read(resources)).toEqual(read(resources));
    expect(read(resources)[0]).toMatchObject({
      arn: 'arn:aws:sqs:us-east-1:000000000000:S-Q',
      ref: 'http://127.0.0.1:3/000000000000/S-Q',
    });
  });

  test('with a condition is refused', () => {
    const conditional = { Q: { Type: 'AWS::SQS::Queue', Condition: 'Sometimes' } };
    expect(() => read(conditional)).toThrow('does not know the condition of Q');
  });

  const keys = {
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  };
  const rule = { State: 'ENABLED', Targets: [] };
  const patterns: Json[] = [
    { source: ['shop'] },
    { detail: { status: ['paid'] } },
    { 'detail-type': 'order.placed' },
    { 'detail-type': [{ prefix: 'order.' }] },
    { 'detail-type': [{ 'anything-but': 'x' }] },
    { 'detail-type': [{ exists: true }] },
    { $or: [] },
  ];
  const permission = { Action: 'a', FunctionName: 'f', Principal: '1', SourceArn: 'arn' };
  test.each<[string, Record<string, Json>, string]>([
    ['RDS::DBInstance', {}, 'does not know the resource type AWS::RDS::DBInstance (X)'],
    ['SQS::Queue', { FifoQueue: true }, 'does not know this of AWS::SQS::Queue X: Unrecognized key: "FifoQueue"'],
    ['SQS::Queue', { DelaySeconds: 5 }, 'Unrecognized key: "DelaySeconds"'],
    ['DynamoDB::Table', { ...keys, GlobalSecondaryIndexes: [] }, 'Unrecognized key: "GlobalSecondaryIndexes"'],
    ['DynamoDB::Table', { ...keys, BillingMode: 'PROVISIONED' }, 'BillingMode'],
    ['Events::Rule', { ...rule, State: 'DISABLED' }, 'AWS::Events::Rule X: State'],
    ...patterns.map((EventPattern): [string, Record<string, Json>, string] => [
      'Events::Rule',
      { ...rule, EventPattern },
      'The local cloud does not know this of AWS::Events::Rule X: EventPattern',
    ]),
    ['SecretsManager::Secret', { SecretString: 'x' }, 'AWS::SecretsManager::Secret X: '],
    ['Lambda::Permission', permission, 'AWS::Lambda::Permission X: Principal'],
  ])('with %s %j is refused, because the local cloud does not emulate it', (type, Properties, message) => {
    expect(() => read({ X: { Type: `AWS::${type}`, Properties } })).toThrow(message);
  });

  const operators = ['StringEquals', 'StringLike', 'StringNotEquals', 'ForAnyValue:StringLike', 'BoolIfExists'];
  test.each<[Record<string, Json>, string]>([
    [{ Condition: { Bool: { 'aws:ViaAWSService': 'true' } } }, 'Unrecognized key: "aws:ViaAWSService"'],
    ...[...operators, 'NumericLessThan', 'IpAddress', 'constructor'].map((operator): [Record<string, Json>, string] => [
      { Condition: { [operator]: { 'aws:SourceArn': '1' } } },
      `Unrecognized key: "${operator}"`,
    ]),
    [{ Action: 'kms:Decrypt' }, 'Action: not an action of a known service'],
    [{ Resource: `\${aws:username}` }, 'policy variables'],
    [{ Surprise: 1 }, 'Unrecognized key: "Surprise"'],
    [{ NotAction: 'sqs:*' }, 'Unrecognized key: "NotAction"'],
    [{ NotResource: '*' }, 'Unrecognized key: "NotResource"'],
    [{ Principal: { AWS: '111122223333' } }, 'Statement.0.Principal'],
  ])('with the statement %j is refused, because the gateway cannot judge it', (more, message) => {
    const document = (...Statement: Json[]) => ({ Version: '2012-10-17', Statement });
    const PolicyDocument = document({ Effect: 'Allow', Action: 'sqs:*', Resource: '*', ...more });
    const role = { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: document() } };
    const Properties = { PolicyName: 'p', PolicyDocument, Roles: [{ Ref: 'R' }] };
    expect(() => read({ R: role, P: { Type: 'AWS::IAM::Policy', Properties } })).toThrow(message);
  });
});
