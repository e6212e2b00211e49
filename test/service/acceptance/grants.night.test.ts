import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLocalCloud } from '../../../local/local-cloud.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { bringsAlong } from '../lib/synthesized.ts';
import { assemblyWithout } from '../local/assembly-without.ts';
import { serviceAssembly } from './assembly.ts';
import { localService } from './local-service.ts';
import { operatorOf } from './operator.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { prepare, STEPS } from './scenario.ts';

type Statement = { readonly Action: string | readonly string[]; readonly Effect: string };
type Resource = {
  readonly Type: string;
  readonly Properties: {
    readonly Roles?: readonly { readonly Ref: string }[];
    readonly PolicyDocument?: { readonly Statement: readonly Statement[] };
  };
};

/**
 * Runs the scenario once without each statement of each function's policy, and expects a refusal that names the missing permission. So
 * every grant is needed, and every needed grant is present. `npm run test:grants` takes minutes.
 */
const assembly = await serviceAssembly();
const statements = statementsOf(assembly);
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});

afterAll(() => receiver.stop());

test.each(statements)(
  '$construct needs $actions',
  async ({ role, index, actions }) => {
    const cloud = await startLocalCloud({
      data: temporaryFolder(),
      assembly: assemblyWithout(assembly, { role, index }),
      authorities: [receiver.authorityFile],
    });
    try {
      const operator = operatorOf(cloud);
      const missing = () => cloud.denials.find((denial) => actions.includes(denial.action));
      const system = {
        operator,
        service: localService(cloud, assembly),
        receiver,
        prepared: await prepare(operator, receiver),
        patienceMs: 8000,
      };
      for (const step of Object.values(STEPS)) {
        if (missing() !== undefined) break;
        // The assertion below finds the failure by the refused permission.
        await step(system).catch(() => undefined);
      }
      expect(missing()).toMatchObject({ message: expect.stringContaining('is not authorized to perform') });
    } finally {
      await cloud.stop();
    }
  },
  120_000,
);

/** Lambda may need these actions to poll a queue, which the CDK grants with the event source. A function uses them after a fault only. */
const POLLING_ACTIONS = ['sqs:ChangeMessageVisibility', 'sqs:GetQueueUrl'];

test('the scenario makes every granted call on every named resource', async () => {
  // The steps count received requests, so this test needs its own receiver.
  const receiver = await startReceiver();
  const cloud = await startLocalCloud({ data: temporaryFolder(), assembly, authorities: [receiver.authorityFile] });
  try {
    const operator = operatorOf(cloud);
    const prepared = await prepare(operator, receiver);
    const system = { operator, service: localService(cloud, assembly), receiver, prepared };
    for (const step of Object.values(STEPS)) await step(system);
    expect(cloud.denials).toEqual([]);
    const grants = cloud.grants;
    const unused = cloud.statements
      .filter(({ statement }) => statement.Effect === 'Allow')
      .flatMap(({ role, index, statement: { Action = [], Resource = [] } }) =>
        Action.flatMap((action) => Resource.map((resource) => ({ role, index, action, resource }))),
      )
      .filter(
        ({ role, index, action, resource }) =>
          !POLLING_ACTIONS.includes(action) &&
          !grants.some(
            (grant) =>
              grant.statement?.role === role &&
              grant.statement.index === index &&
              grant.action === action &&
              isNamedBy(resource, grant.resource),
          ),
      )
      .map(({ role, action, resource }) => `${constructOf(role)}: ${action} on ${resource}`);
    expect(unused).toEqual([]);
  } finally {
    await cloud.stop();
    await receiver.stop();
  }
}, 120_000);

function isNamedBy(pattern: string, resource: string): boolean {
  return pattern.endsWith('*') ? resource.startsWith(pattern.slice(0, -1)) : resource === pattern;
}

/** Returns all statements except those of the roles that the CDK adds to deploy assets, which run only on AWS. */
function statementsOf(
  outdir: string,
): readonly { construct: string; role: string; index: number; actions: readonly string[]; effect: string }[] {
  const template: { Resources: Record<string, Resource> } = JSON.parse(
    readFileSync(join(outdir, 'VaWave.template.json'), 'utf8'),
  );
  return Object.values(template.Resources)
    .filter((resource) => resource.Type === 'AWS::IAM::Policy')
    .flatMap(({ Properties: { Roles = [], PolicyDocument } }) =>
      (PolicyDocument?.Statement ?? []).map((statement, index) => ({
        construct: constructOf(Roles[0]?.Ref ?? ''),
        role: Roles[0]?.Ref ?? '',
        index,
        actions: [statement.Action].flat(),
        effect: statement.Effect,
      })),
    )
    .filter(({ role, effect }) => !bringsAlong(role) && effect === 'Allow');
}

/** Returns the id of a function's construct. @param role logical id of the function's role */
function constructOf(role: string): string {
  return role.replace(/Role[0-9A-F]{8}$/, '');
}
