import { Authorizer, type Caller, type IamRole } from '../../../../local/cloud/access/authorizer.ts';
import { appliesTo, type PolicyStatement, policyDocument } from '../../../../local/cloud/access/policies.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/T';
const request = { action: 'dynamodb:GetItem', resource: TABLE, keys: { 'aws:securetransport': 'true' } };

const allow = (more: Partial<PolicyStatement>): PolicyStatement => ({
  Effect: 'Allow',
  Action: ['dynamodb:GetItem'],
  Resource: [TABLE],
  Condition: {},
  ...more,
});

describe('a statement', () => {
  test.each<[string, Partial<PolicyStatement>, boolean]>([
    ['the same action and resource', {}, true],
    ['the action in another case', { Action: ['DynamoDB:getitem'] }, true],
    ['a wildcard action', { Action: ['dynamodb:Get*'] }, true],
    ['one character', { Action: ['dynamodb:Ge?Item'] }, true],
    ['everything', { Action: ['*'], Resource: ['*'] }, true],
    ['another action', { Action: ['dynamodb:PutItem'] }, false],
    ['a resource that begins alike', { Resource: [`${TABLE}2`] }, false],
    ['a resource in another case', { Resource: [TABLE.replace('/T', '/t')] }, false],
    ['a dot that is no wildcard', { Resource: [TABLE.replace('us-east-1', 'us.east.1')] }, false],
  ])('with %s applies: %p', (_, more, applies) => {
    expect(appliesTo(allow(more), request)).toBe(applies);
  });

  const keys = { 'aws:sourcearn': 'arn:aws:events:us-east-1:0:rule/bus/a', 'aws:securetransport': 'true' };
  test.each<[PolicyStatement['Condition'], boolean]>([
    [{ ArnEquals: { 'aws:SourceArn': ['arn:aws:events:us-east-1:0:rule/bus/a'] } }, true],
    [{ ArnEquals: { 'aws:SourceArn': ['x', 'arn:aws:events:us-east-1:0:rule/bus/a'] } }, true],
    [{ ArnLike: { 'aws:SourceArn': ['arn:aws:events:*:0:rule/bus/*'] } }, true],
    [{ ArnLike: { 'aws:SourceArn': ['arn:*:rule/bus/a'] } }, false],
    [{ ArnLike: { 'aws:SourceArn': [] } }, false],
    [{ Bool: { 'aws:SecureTransport': ['TRUE'] } }, true],
    [{ Bool: { 'aws:SecureTransport': ['false'] } }, false],
    [{ Bool: { 'aws:SecureTransport': ['true'] }, ArnLike: { 'aws:SourceArn': ['x'] } }, false],
  ])('with the condition %j applies: %p', (Condition, holds) => {
    expect(appliesTo(allow({ Condition }), { ...request, keys })).toBe(holds);
  });
});

const NOT_OURS = { 'events:source': ['va-wave'] };
test.each<[sources: string[] | undefined, applies: boolean]>([
  [['shop'], true],
  [['shop', 'crm'], true],
  [['va-wave'], false],
  [['shop', 'va-wave'], false],
  [undefined, false],
])('a condition on all sources of a call with %j applies: %p', (sources, applies) => {
  const statement = allow({
    Condition: { 'ForAllValues:StringNotEquals': NOT_OURS, Null: { 'events:source': ['false'] } },
  });
  expect(appliesTo(statement, { ...request, sets: sources && { 'events:source': sources } })).toBe(applies);
});

test('a key with several values takes no operator of one value', () => {
  const Statement = [{ ...allow({}), Condition: { ArnLike: NOT_OURS } }];
  const { error } = policyDocument.safeParse({ Version: '2012-10-17', Statement });
  expect(error?.message).toContain('events:source');
});

const KEYS = {
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['AUDIT#*', 'X'] },
  Null: { 'dynamodb:LeadingKeys': ['false'] },
};
test.each<[keys: string[] | undefined, applies: boolean]>([
  [['AUDIT#org'], true],
  [['AUDIT#org', 'X'], true],
  [['ORG#1', 'X'], false],
  [['ORG#AUDIT#'], false],
  [undefined, false],
])('a condition on partition keys of a call with %j applies: %p', (keys, applies) => {
  const sets = keys && { 'dynamodb:LeadingKeys': keys };
  expect(appliesTo(allow({ Condition: KEYS }), { ...request, sets })).toBe(applies);
});

test('a condition on partition keys is refused for calls whose keys nobody reads', () => {
  const errorOf = (Action: string[]) =>
    policyDocument.safeParse({ Version: '2012-10-17', Statement: [{ ...allow({}), Action, Condition: KEYS }] }).error;
  expect(errorOf(['dynamodb:Query'])?.message).toContain('partition keys');
  expect(errorOf(['dynamodb:DeleteItem'])).toBeUndefined();
});

describe('the authorizer', () => {
  const role = (...statements: PolicyStatement[]): IamRole => ({
    logicalId: 'Role',
    arn: 'arn:aws:iam::000000000000:role/role',
    trust: [allow({ Principal: { Service: 'lambda.amazonaws.com' }, Action: ['sts:AssumeRole'], Resource: undefined })],
    statements: statements.map((one, index) => ({ role: 'Role', index, statement: one })),
  });
  const caller = (...statements: PolicyStatement[]): Caller => ({
    kind: 'function',
    functionId: 'Fn',
    sessionArn: 'arn:aws:sts::000000000000:assumed-role/role/fn',
    role: role(...statements),
  });
  const service: Caller = { kind: 'service', service: 'events.amazonaws.com', sourceArn: 'arn:rule' };
  const check = { action: request.action, resource: TABLE };
  /** Statements without a principal are for every caller. */
  const create = (...statements: PolicyStatement[]) =>
    new Authorizer([{ arn: TABLE, statements: statements.map((one) => ({ Principal: { AWS: '*' }, ...one })) }]);

  test('records once which statement allowed a call', () => {
    const authorizer = create();
    const two = caller(allow({ Action: ['sqs:*'], Resource: ['*'] }), allow({}));
    expect([authorizer.check(two, check), authorizer.check(two, check)]).toEqual([undefined, undefined]);
    expect(authorizer.grants).toEqual([{ caller: 'Fn', ...check, statement: { role: 'Role', index: 1 } }]);
  });

  test('stores one decision for all partition keys that no pattern tells apart', () => {
    const authorizer = create();
    const one = caller(allow({}), allow({ Effect: 'Deny', Condition: KEYS }));
    const denials = Array.from({ length: 50 }, (_, index) => {
      const sets = { 'dynamodb:LeadingKeys': [`${index % 2 ? 'AUDIT' : 'ORG'}#${index}`] };
      return authorizer.check(one, { ...check, sets }) !== undefined;
    });
    expect(denials).toEqual(denials.map((_, index) => index % 2 === 1));
    expect([authorizer.grants.length, authorizer.denials.length]).toEqual([1, 1]);
  });

  test('refuses with the message of AWS', () => {
    const authorizer = create();
    expect(authorizer.check(caller(), check)?.message).toBe(
      `User: arn:aws:sts::000000000000:assumed-role/role/fn is not authorized to perform: dynamodb:GetItem on resource: ${TABLE} because no identity-based policy allows the dynamodb:GetItem action`,
    );
    authorizer.check(caller(), check);
    expect(authorizer.denials).toHaveLength(1);
  });

  test('accepts a resource policy that allows a call', () => {
    expect(create(allow({})).check(caller(), check)).toBeUndefined();
  });

  test('lets a statement that denies override every statement that allows, in any order', () => {
    const deny = allow({ Effect: 'Deny', Action: ['dynamodb:*'] });
    for (const authorizer of [create(deny), create(allow({}), deny), create(deny, allow({}))]) {
      expect(authorizer.check(caller(allow({})), check)?.message).toContain('because of an explicit deny');
    }
    expect(create().check(caller(deny, allow({})), check)?.message).toContain('because of an explicit deny');
  });

  test('allows a service only the calls and sources that the resource policy names', () => {
    const fromRule = { ArnEquals: { 'aws:SourceArn': ['arn:rule'] } };
    const authorizer = create(allow({ Principal: { Service: 'events.amazonaws.com' }, Condition: fromRule }));
    expect(authorizer.check(service, check)).toBeUndefined();
    expect(authorizer.check({ ...service, sourceArn: 'arn:other' }, check)).toBeDefined();
    expect(authorizer.check({ ...service, service: 'sns.amazonaws.com' }, check)).toBeDefined();
    expect(authorizer.check(caller(), check)).toBeDefined();
  });

  test('denies only insecure calls when the policy denies insecure transport', () => {
    const insecure = { Bool: { 'aws:SecureTransport': ['false'] } };
    const authorizer = create(allow({ Effect: 'Deny', Condition: insecure }));
    expect(authorizer.check(caller(allow({})), check)).toBeUndefined();
  });

  test('lets only the principals of the trust policy assume a role', () => {
    expect(create().mayAssume(role(), 'lambda.amazonaws.com')).toBe(true);
    expect(create().mayAssume(role(), 'edgelambda.amazonaws.com')).toBe(false);
  });
});
