import { METRICS } from '../../../src/deployment/metrics.ts';
import { aws } from './environment.ts';
import { lambdaContext, lineOf, logged } from './invocation.ts';

const { handler } = await import('../../../lambdas/key-rotation/handler.ts');

const DAY = 86_400;
const SCHEDULED = { 'detail-type': 'Scheduled Event', source: 'aws.events' };
const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** Returns a ring whose newest key has been active for this number of days; undefined for the key that CloudFormation generates. */
const ringOf = (days: number | undefined) =>
  JSON.stringify({
    keys: [
      { kid: 'k', key: 'x'.repeat(64), ...(days === undefined ? {} : { active_from: nowInSeconds() - days * DAY }) },
    ],
  });

const rotated = async (event: unknown, days: number | undefined) => {
  aws.on('GetSecretValue', {}, { SecretString: ringOf(days) });
  aws.on('PutSecretValue', {}, { VersionId: 'v' });
  aws.on('UpdateSecretVersionStage', {}, {});
  const { result, log } = await logged(() => handler(event, lambdaContext()));
  return { keys: result.keys, log };
};

test.each([[{}], [null], ['now'], [{ 'detail-type': 'Something' }]])(
  'an invocation with %j rotates immediately',
  async (event) => {
    expect(await rotated(event, 0.1)).toMatchObject({ keys: 2 });
  },
);

// An alarm is raised when the age is missing, so the first key has one too.
test.each([
  [undefined, 2, 0],
  [3, 1, 3],
])(
  'a scheduled run with a key of %p days leaves %p keys, emits the age %p and logs no key',
  async (days, left, age) => {
    const { keys, log } = await rotated(SCHEDULED, days);
    expect(keys).toBe(left);
    expect(lineOf(log, METRICS.tokenKeyAge)?.[METRICS.tokenKeyAge]).toBeCloseTo(age, 1);
    expect(log).not.toContain('x'.repeat(64));
  },
);
