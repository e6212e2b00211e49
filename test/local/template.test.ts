import { ACCOUNT } from '../../local/cloud/account.ts';
import type { Json } from '../../local/cloud/json.ts';
import type { Template } from '../../local/cloud/template/assembly.ts';
import { Resolver } from '../../local/cloud/template/intrinsics.ts';
import { TemplateReader } from '../../local/cloud/template/model.ts';

const template: Template = {
  Resources: {},
  Outputs: {},
  Parameters: { Given: { Type: 'String', Default: 'value' } },
  Conditions: {
    Yes: { 'Fn::Equals': ['a', 'a'] },
    No: { 'Fn::Not': [{ Condition: 'Yes' }] },
    Either: { 'Fn::Or': [{ Condition: 'No' }, { 'Fn::And': [{ Condition: 'Yes' }, { Condition: 'Yes' }] }] },
  },
};
const resolver = new Resolver({
  template,
  pseudoParameters: { 'AWS::Region': 'us-east-1', 'AWS::AccountId': ACCOUNT },
  identify: (logicalId) => ({
    ref: `ref-${logicalId}`,
    attributes: { Arn: `arn-${logicalId}`, 'Nested.Name': 'deep' },
  }),
  secretString: (arn) => (arn.endsWith('json') ? '{"key":"inner"}' : `secret of ${arn}`),
});

const secretArn = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:name';

test.each<[string, Json, Json]>([
  ['Ref', { Ref: 'Thing' }, 'ref-Thing'],
  ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
  ['Ref of a parameter', { Ref: 'Given' }, 'value'],
  ['GetAtt', { 'Fn::GetAtt': ['Thing', 'Arn'] }, 'arn-Thing'],
  ['GetAtt as text', { 'Fn::GetAtt': 'Thing.Nested.Name' }, 'deep'],
  ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'Thing' }, 3]] }, 'a-ref-Thing-3'],
  ['Join of a list that is computed', { 'Fn::Join': ['+', { 'Fn::Split': ['/', 'a/b'] }] }, 'a+b'],
  [
    'Sub',
    { 'Fn::Sub': `\${Thing}/\${Thing.Arn}/\${AWS::Region}/\${!literal}` },
    `ref-Thing/arn-Thing/us-east-1/\${literal}`,
  ],
  ['Sub with variables', { 'Fn::Sub': [`\${x}`, { x: { Ref: 'Thing' } }] }, 'ref-Thing'],
  ['Select of Split', { 'Fn::Select': [2, { 'Fn::Split': ['/', 'http://host/path'] }] }, 'host'],
  ['If', { 'Fn::If': ['Either', 'yes', 'no'] }, 'yes'],
  ['NoValue', { a: { Ref: 'AWS::NoValue' }, b: [{ 'Fn::If': ['No', 1, { Ref: 'AWS::NoValue' }] }] }, { b: [] }],
  ['a secret', `{{resolve:secretsmanager:${secretArn}:SecretString:::}}`, `secret of ${secretArn}`],
  ['a key of a secret', `x{{resolve:secretsmanager:${secretArn}json:SecretString:key::}}y`, 'xinnery'],
  [
    'a secret in pieces',
    { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { 'Fn::Sub': secretArn }, ':SecretString:::}}']] },
    `secret of ${secretArn}`,
  ],
  ['what is no expression', { Ref: 'a', and: ['more'] }, { Ref: 'a', and: ['more'] }],
])('%s is resolved', (_, expression, expected) => {
  expect(resolver.resolve(expression)).toEqual(expected);
});

test.each<[Json, string]>([
  [{ 'Fn::Base64': 'x' }, 'does not know Fn::Base64'],
  [{ 'Fn::ImportValue': 'x' }, 'does not know Fn::ImportValue'],
  [{ Ref: 'AWS::NotificationARNs' }, 'does not know the pseudo parameter'],
  [{ 'Fn::GetAtt': ['Thing', 'Colour'] }, 'does not know the attribute Thing.Colour'],
  [{ 'Fn::Select': [5, ['a']] }, 'selects nothing'],
  ['{{resolve:ssm:name:1}}', 'does not know the dynamic reference'],
])('%j is refused', (expression, message) => {
  expect(() => resolver.resolve(expression)).toThrow(message);
});

describe('a template', () => {
  const read = (Resources: Record<string, { Type: string; Properties?: Record<string, Json> }>) =>
    new TemplateReader(
      {
        addresses: { edge: '127.0.0.1:1', api: '127.0.0.1:2', gateway: '127.0.0.1:3', login: '127.0.0.1:4' },
        assembly: {
          directory: '/none',
          stackName: 'S',
          assetPath: () => '/none',
          template: {
            ...template,
            Resources: Object.fromEntries(
              Object.entries(Resources).map(([id, { Type, Properties = {} }]) => [
                id,
                { Type, Properties, Metadata: {} },
              ]),
            ),
          },
        },
      },
      () => '',
    ).model();

  const role = (Statement: Json): Record<string, { Type: string; Properties: Record<string, Json> }> => ({
    R: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [] },
        Policies: [{ PolicyName: 'p', PolicyDocument: { Version: '2012-10-17', Statement } }],
      },
    },
  });

  test('gives names that are the same in every run', () => {
    const resources = { Q: { Type: 'AWS::SQS::Queue' } };
    expect(read(resources).queues).toEqual(read(resources).queues);
    expect(read(resources).queues[0]).toMatchObject({
      name: 'S-Q',
      arn: 'arn:aws:sqs:us-east-1:000000000000:S-Q',
      url: 'http://127.0.0.1:3/000000000000/S-Q',
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
      'a condition key',
      () =>
        read(
          role([
            { Effect: 'Allow', Action: 'sqs:*', Resource: '*', Condition: { Bool: { 'aws:ViaAWSService': 'true' } } },
          ]),
        ),
      'R: the one-machine cloud does not know the condition key aws:ViaAWSService',
    ],
    [
      'an operator',
      () =>
        read(
          role([
            { Effect: 'Allow', Action: 'sqs:*', Resource: '*', Condition: { IpAddress: { 'aws:SourceArn': '1' } } },
          ]),
        ),
      'does not know the condition operator IpAddress',
    ],
    [
      'an action',
      () => read(role([{ Effect: 'Allow', Action: 'kms:Decrypt', Resource: '*' }])),
      'does not know the action kms:Decrypt',
    ],
    [
      'a variable',
      () => read(role([{ Effect: 'Allow', Action: 'sqs:*', Resource: `\${aws:username}` }])),
      'policy variables',
    ],
    [
      'an element',
      () => read(role([{ Effect: 'Allow', Action: 'sqs:*', Resource: '*', Surprise: 1 }])),
      'Unrecognized key',
    ],
  ])('with %s that is not known does not start', (_, start, message) => {
    expect(start).toThrow(message);
  });
});
