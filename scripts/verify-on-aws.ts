/**
 * Checks a real deployment for behaviour of AWS that no local test can prove (docs/verification.md):
 *
 *     node scripts/verify-on-aws.ts [--stack VaWave] [--region eu-west-1]
 *
 * The script deletes everything that it creates. It uses up the session create limit of this machine's IP address for a minute.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import type { AwsAccess } from '../src/adapters/aws-clients.ts';
import { stackOutputs } from '../src/adapters/cloudformation/stack-outputs.ts';
import { delayWithGroup, escapesInEvents, eventsWithoutGroup, groupOfEvents } from './aws-checks/message-groups.ts';
import { sharedWrites } from './aws-checks/shared-writes.ts';
import { forgedAddress } from './aws-checks/viewer-address.ts';

const program = new Command('verify-on-aws')
  .option('--stack <name>', 'the deployed stack', 'VaWave')
  .option('--region <name>', 'the region of the stack (default: the region of the environment)');

const { stack, region } = program.parse().opts<{ stack: string; region?: string }>();
const access: AwsAccess = region === undefined ? {} : { region };
const outputs = await stackOutputs(stack, access);
const output = (name: string): string => {
  const value = outputs[name];
  if (value === undefined) throw new Error(`The stack has no output ${name}`);
  return value;
};
const checks = [
  groupOfEvents,
  eventsWithoutGroup,
  escapesInEvents,
  delayWithGroup,
  sharedWrites,
  forgedAddress('at the API', 'apiUrl'),
  forgedAddress('behind CloudFront', 'baseUrl'),
];
let failed = 0;
for (const check of checks) {
  // The previous check has used up the limit of this minute.
  if (check.name.includes('behind CloudFront')) await pause(61_000);
  try {
    console.log(`ok    ${check.name}: ${await check.run({ access, stack, output })}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${check.name}: ${error instanceof Error ? error.message : error}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
