import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import {
  AccountPrincipal,
  ArnPrincipal,
  CompositePrincipal,
  FederatedPrincipal,
  Group,
  type IGrantable,
  OrganizationPrincipal,
  PrincipalWithConditions,
  Role,
  ServicePrincipal,
  User,
} from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { grantOn, principalsOf } from '../../../lib/grants.ts';
import { VaWave } from '../../../lib/va-wave.ts';
import { full } from '../../harness/full.ts';

const [HERE, THERE] = ['111111111111', '222222222222'];
const REGION = 'eu-west-1';
const assumedBy = new ServicePrincipal('ecs-tasks.amazonaws.com');
const role = (account: string, name: string) => `arn:aws:iam::${account}:role/${name}`;

/** Where the templates have a grant. `nothing` has no success, and a warning. */
type Place = 'own policy' | 'resource' | 'both' | 'nothing';
/** The places in an app with the number of its account and without, and of the bus of another app. */
type Places = readonly [known: Place, unknown: Place, imported: Place, importedUnknown: Place];

const OWN: Places = ['own policy', 'own policy', 'own policy', 'own policy'];
const BY_RESOURCE: Places = ['resource', 'resource', 'nothing', 'nothing'];
const NOBODY: Places = ['nothing', 'nothing', 'nothing', 'nothing'];

/** Grantees by a part of their name that no other has. */
const GRANTEES: Readonly<
  Record<string, readonly [make: (stack: Stack, id: string, other: Stack) => IGrantable, Places]>
> = {
  NewRole: [(stack, id) => new Role(stack, id, { assumedBy }), OWN],
  RoleOfOtherStack: [(_, id, other) => new Role(other, id, { assumedBy }), OWN],
  NewFunction: [
    (stack, id) =>
      new LambdaFunction(stack, id, { runtime: Runtime.NODEJS_24_X, handler: 'i.h', code: Code.fromInline('0') }),
    OWN,
  ],
  NewUser: [(stack, id) => new User(stack, id), OWN],
  NewGroup: [(stack, id) => new Group(stack, id), OWN],
  ConditionedRole: [
    (stack, id) =>
      new PrincipalWithConditions(new Role(stack, id, { assumedBy }), { Bool: { 'aws:ViaAWSService': 'false' } }),
    OWN,
  ],
  RoleWithoutUpdates: [(stack, id) => new Role(stack, id, { assumedBy }).withoutPolicyUpdates(), BY_RESOURCE],
  'o-conditional': [
    (_, id) => new PrincipalWithConditions(new AccountPrincipal(THERE), { StringEquals: { 'aws:PrincipalOrgID': id } }),
    BY_RESOURCE,
  ],
  // Without the number of the account, a bus of the app can name the role in any account, and a policy here might be of another role.
  ImportedRole: [
    (stack, id) => Role.fromRoleArn(stack, id, role(HERE, id)),
    ['own policy', 'resource', 'own policy', 'own policy'],
  ],
  FixedRole: [(stack, id) => Role.fromRoleArn(stack, id, role(HERE, id), { mutable: false }), BY_RESOURCE],
  ForeignRole: [(stack, id) => Role.fromRoleArn(stack, id, role(THERE, id)), BY_RESOURCE],
  NamedRole: [(_, id) => new ArnPrincipal(role(THERE, id)), BY_RESOURCE],
  '333333333333': [(_, id) => new AccountPrincipal(id), BY_RESOURCE],
  CompositeRole: [
    (_, id) => new CompositePrincipal(new ArnPrincipal(role(THERE, id)), new ServicePrincipal('states.amazonaws.com')),
    BY_RESOURCE,
  ],
  scheduler: [(_, id) => new ServicePrincipal(`${id}.amazonaws.com`), BY_RESOURCE],
  'o-1234567890': [(_, id) => new OrganizationPrincipal(id), BY_RESOURCE],
  'id.example': [(_, id) => new FederatedPrincipal(id, {}), NOBODY],
  ForeignGroup: [
    (stack, id) => Group.fromGroupArn(stack, id, `arn:aws:iam::${THERE}:group/${id}`),
    // The CDK takes what is imported for its own, unless it knows better.
    ['nothing', 'own policy', 'nothing', 'nothing'],
  ],
  FunctionWithoutRole: [
    (stack, id) => LambdaFunction.fromFunctionArn(stack, id, `arn:aws:lambda:${REGION}:${HERE}:function:${id}`),
    NOBODY,
  ],
};

const BUSES: Readonly<Record<string, (stack: Stack) => IEventBus | undefined>> = {
  'a new bus': () => undefined,
  'a bus of the app': (stack) => new EventBus(stack, 'Bus'),
  'an imported bus': (stack) =>
    EventBus.fromEventBusArn(stack, 'Bus', `arn:aws:events:${REGION}:${HERE}:event-bus/platform`),
};
const CASES = Object.keys(BUSES).flatMap((bus) => [true, false].map((known) => [bus, known] as const));

/** By night, all of them. */
const BY_DAY = CASES.filter(([bus, known]) => known === (bus === 'a new bus') && bus !== 'a bus of the app');

describe.each(full ? CASES : BY_DAY)('with %s, in an app that knows its account: %s', (busName, known) => {
  const app = new App();
  const props = known ? { env: { account: HERE, region: REGION } } : {};
  const [stack, other] = [new Stack(app, 'Chat', props), new Stack(app, 'Other', props)];
  const chat = new VaWave(stack, 'VaWave', { bus: BUSES[busName]?.(stack) });
  const made = Object.entries(GRANTEES).map(([name, [make, places]]) => {
    const grantee = make(stack, name, other);
    const grants = [chat.grantPutEvents(grantee), chat.grantCallTools(grantee), chat.grantReportUsage(grantee)];
    return { name, places, successes: grants.map(({ success }) => success) };
  });
  const templates = [stack, other].map((one) => Template.fromStack(one));
  const resources = (type: string) => templates.flatMap((one) => Object.values(one.findResources(type)));
  const policies = resources('AWS::IAM::Policy').map(({ Properties: { PolicyDocument, ...owners } }) => ({
    owners: JSON.stringify(owners),
    actions: JSON.stringify(PolicyDocument),
  }));
  const entries = [...resources('AWS::Events::EventBusPolicy'), ...resources('AWS::Lambda::Permission')].map(
    ({ Type, Properties }) => ({ type: Type, text: JSON.stringify(Properties) }),
  );
  const placeOf = (name: string, action: string, type: string): Place => {
    const own = policies.some(({ owners, actions }) => owners.includes(name) && actions.includes(action));
    const entered = entries.filter((entry) => entry.type === type && entry.text.includes(name)).length > 0;
    return own ? (entered ? 'both' : 'own policy') : entered ? 'resource' : 'nothing';
  };

  test.each(made)('$name', ({ name, places, successes }) => {
    const ofBus = places[(busName === 'an imported bus' ? 2 : 0) + (known ? 0 : 1)] ?? 'nothing';
    const ofFunctions = places[known ? 0 : 1];
    expect([
      placeOf(name, 'events:PutEvents', 'AWS::Events::EventBusPolicy'),
      placeOf(name, 'lambda:InvokeFunction', 'AWS::Lambda::Permission'),
    ]).toEqual([ofBus, ofFunctions]);
    expect(successes).toEqual([ofBus, ofFunctions, ofFunctions].map((place) => place !== 'nothing'));
  });

  test('the bus and each function warn when a grant of them is of nothing', () => {
    const warned = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('Nothing was granted'));
    expect(warned.map(({ id }) => id)).toHaveLength(3);
  });
});

test('a permission keeps the conditions of several principals, which its parts would lose', () => {
  const composite = new CompositePrincipal(new ArnPrincipal(role(THERE, 'a')), new ArnPrincipal(role(THERE, 'b')));
  expect(principalsOf(composite)).toHaveLength(2);
  const conditional = new PrincipalWithConditions(composite, {
    StringEquals: { 'aws:PrincipalOrgID': 'o-1234567890' },
  });
  expect(principalsOf(conditional)).toEqual([conditional]);
});

const ELSEWHERE = /^Other\/Role is in aws:.*: grant to Role\.fromRoleArn/;
test.each([
  ['this account and region', HERE, REGION, false, undefined],
  ['another account', THERE, REGION, false, ELSEWHERE],
  ['another account, with references between regions', THERE, REGION, true, ELSEWHERE],
  ['another region', HERE, 'us-west-2', false, ELSEWHERE],
  ['another region, with references between regions', HERE, 'us-west-2', true, undefined],
])(
  'a role of a stack in %s is granted, or refused with the way out',
  (_, account, region, crossRegionReferences, refusal) => {
    const app = new App();
    const chat = new Stack(app, 'Chat', { env: { account: HERE, region: REGION }, crossRegionReferences });
    const queue = new Queue(chat, 'Queue');
    const other = new Stack(app, 'Other', { env: { account, region }, crossRegionReferences });
    const grantee = new Role(other, 'Role', { assumedBy });
    const permission = { grantee, actions: ['sqs:SendMessage'], resourceArns: [queue.queueArn] };
    const grant = () => grantOn(queue, permission, undefined);
    if (refusal !== undefined) expect(grant).toThrow(refusal);
    else expect(grant().success).toBe(true);
  },
);
