import { Logger } from '@aws-lambda-powertools/logger';
import type { FailureCode } from '../../src/contract/delivery-record.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { refusalLog, unreachedOrganizations } from '../../src/functions/reports.ts';
import { FrozenClock } from '../fakes/sources.ts';
import { call, logged } from '../lambdas/invocation.ts';
import '../lambdas/environment.ts';

const ROUTE = 'POST /api/widget/init';
const clock = new FrozenClock();

const linesOf = async (work: (log: ReturnType<typeof refusalLog>) => void) => {
  const { log } = await logged(async () => work(refusalLog(new Logger({ serviceName: 'test' }), clock.now)));
  return log.split('\n').filter((line) => line.includes('Refused'));
};

test('a refusal is logged with code, status and route, and without parts of the request', async () => {
  const lines = await linesOf((log) => log(new Refusal('origin_not_allowed'), ROUTE, 'site_of_the_visitor'));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ message: 'Refused', code: 'origin_not_allowed', status: 401, route: ROUTE }),
  ]);
  expect(lines.join()).not.toContain('site_of_the_visitor');
});

test('the same refusal is logged once per minute and site', async () => {
  const lines = await linesOf((log) => {
    for (let i = 0; i < 50; i++) log(new Refusal('origin_not_allowed'), ROUTE, 'site_a');
    log(new Refusal('origin_not_allowed'), ROUTE, 'site_b');
    log(new Refusal('credentials_required'), ROUTE, undefined);
    clock.advance(60_000);
    log(new Refusal('origin_not_allowed'), ROUTE, 'site_a');
  });
  expect(lines).toHaveLength(4);
});

test('refusals of many assistants cannot fill the log', async () => {
  const lines = await linesOf((log) => {
    for (let i = 0; i < 1000; i++) log(new Refusal('origin_not_allowed'), ROUTE, `site_${i}`);
  });
  expect(lines).toHaveLength(60);
});

test('made-up site ids share one line, whatever header or path has them', async () => {
  const handler = httpHandler(new Logger({ serviceName: 'test' }), async () => {
    throw new Refusal('site_not_found');
  });
  let lines = '';
  for (let i = 0; i < 61; i++) {
    lines += (await call(handler, { headers: { 'x-site-id': `site_${i}` }, pathParameters: { site_id: `site_${i}` } }))
      .log;
  }
  expect(lines.match(/"Refused"/g)).toHaveLength(1);
});

const started = () => {
  const clock = new FrozenClock();
  return { clock, organizations: unreachedOrganizations(clock.now) };
};

/** The organizations of attempts that were made one after another, and the failure of all of them. */
type Attempts = readonly [organizations: string, failure?: FailureCode];

test.each<[string, number | undefined, readonly Attempts[]]>([
  ['no share of fewer than three organizations', undefined, [['ab'.repeat(50), 'dns_failure']]],
  ['a loud organization once', 0.25, [['d'.repeat(100), 'connect_failure'], ['abc']]],
  ['an organization as reached that was reached in the last minutes', 0, [['abc'], ['a', 'tls_failure']]],
  ...(['http_status', 'redirect', 'blocked_address', 'quota_exceeded', 'connection_closed'] as const).map(
    (failure): [string, number, readonly Attempts[]] => [`nobody as unreached by ${failure}`, 0, [['abc', failure]]],
  ),
])('counts %s', (_, share, attempts) => {
  const { organizations } = started();
  for (const [ids, failure] of attempts) for (const id of ids) organizations.attempted(id, failure);
  expect(organizations.share()).toBe(share);
});

test('all are unreached when the resolver fails, and after five minutes the result is undefined', () => {
  const { clock, organizations } = started();
  for (const org of ['org_a', 'org_b', 'org_c']) organizations.attempted(org, undefined);
  clock.advance(301_000);
  for (const org of ['org_a', 'org_b', 'org_c']) organizations.attempted(org, 'dns_failure');
  expect(organizations.share()).toBe(1);
  clock.advance(301_000);
  expect(organizations.share()).toBeUndefined();
});

test('a million organizations need no more memory than a thousand', () => {
  const { organizations } = started();
  for (let i = 0; i < 5000; i++) organizations.attempted(`org_${i}`, i < 4500 ? 'timeout' : undefined);
  expect(organizations.share()).toBe(0.5);
});
