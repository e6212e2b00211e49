import { globSync, readFileSync } from 'node:fs';
import type { FailureCode } from '../../../src/contract/delivery-record.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import type { Fact, FactOf } from '../../../src/domain/facts.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { ServiceError } from '../../../src/domain/service-error.ts';
import { causeOf, factReporter, unreachedOrganizations } from '../../../src/functions/fact-reporter.ts';
import { httpHandler } from '../../../src/functions/http.ts';
import { functionLogger } from '../../../src/functions/invocation.ts';
import { FrozenClock } from '../../fakes/sources.ts';
import { call, logged, testShell } from '../lambdas/invocation.ts';
import '../lambdas/environment.ts';

const ROUTE = 'POST /api/widget/init';
const OF_ROUTE = { route: ROUTE, site_id: undefined };
const clock = new FrozenClock();

const linesOf = async (
  work: (refuse: (code: 'origin_not_allowed' | 'credentials_required', site?: string) => void) => void,
) => {
  const { reportFact } = factReporter(functionLogger('test'), clock.now)();
  const refuse = (code: 'origin_not_allowed' | 'credentials_required', site_id?: string) =>
    reportFact({ kind: 'request_refused', code, status: 401, route: ROUTE, site_id });
  const { log } = await logged(async () => work(refuse));
  return log.split('\n').filter((line) => line.includes('Refused'));
};

test('a refusal is logged with code, status and route, and without parts of the request', async () => {
  const lines = await linesOf((refuse) => refuse('origin_not_allowed', 'site_of_the_visitor'));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ message: 'Refused', code: 'origin_not_allowed', status: 401, route: ROUTE }),
  ]);
  expect(lines.join()).not.toContain('site_of_the_visitor');
});

test('the same refusal is logged once per minute and site', async () => {
  const lines = await linesOf((refuse) => {
    for (let i = 0; i < 50; i++) refuse('origin_not_allowed', 'site_a');
    refuse('origin_not_allowed', 'site_b');
    refuse('credentials_required');
    clock.advance(60_000);
    refuse('origin_not_allowed', 'site_a');
  });
  expect(lines).toHaveLength(4);
});

test('refusals of many assistants cannot fill the log', async () => {
  const lines = await linesOf((refuse) => {
    for (let i = 0; i < 1000; i++) refuse('origin_not_allowed', `site_${i}`);
  });
  expect(lines).toHaveLength(60);
});

test('made-up site ids share one line, whatever header or path has them', async () => {
  const handler = httpHandler(testShell(), async () => {
    throw new Refusal('site_not_found');
  });
  let lines = '';
  for (let i = 0; i < 61; i++) {
    lines += (await call(handler, { headers: { 'x-site-id': `site_${i}` }, pathParameters: { site_id: `site_${i}` } }))
      .log;
  }
  expect(lines.match(/"Refused"/g)).toHaveLength(1);
});

const SECRET = 'DontTell';
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const CIRCULAR = new Error(SECRET);
CIRCULAR.cause = CIRCULAR;
const PLACES = expect.arrayContaining([expect.stringMatching(/^at .*report.*\.ts/)]);

test.each<[string, unknown, object]>([
  ['a SyntaxError that quotes its text', thrownBy(() => JSON.parse(SECRET)), { error: 'SyntaxError' }],
  ['a text with a line that looks like a place', new Error(`x\n    at ${SECRET} (x.ts:1:1)`), { error: 'Error' }],
  [
    'a message that was changed after the error was made',
    Object.assign(new Error(`x\n    at ${SECRET}`), { message: 'changed' }),
    { error: 'Error' },
  ],
  ['a thrown text', SECRET, { error: 'string' }],
  ['an error without a stack', Object.assign(new Error(SECRET), { stack: undefined }), { error: 'Error' }],
  [
    'a code',
    Object.assign(new TypeError(SECRET), { code: 'ECONNRESET' }),
    { error: 'TypeError', code: 'ECONNRESET', at: PLACES },
  ],
  [
    'a cause',
    new ServiceError('Item act_1 cannot be read', { cause: new Error(SECRET) }),
    { error: 'ServiceError', message: 'Item act_1 cannot be read', cause: { error: 'Error', at: PLACES } },
  ],
  ['a cause that leads back to its error', CIRCULAR, { error: 'Error', cause: { error: 'Error', at: PLACES } }],
])('a cause is told by class, code and place: %s', (_, thrown, cause) => {
  expect(causeOf(thrown)).toMatchObject(cause);
  expect(JSON.stringify(causeOf(thrown))).not.toContain(SECRET);
});

const cause = new SyntaxError(SECRET);
const attempt = { action_id: 'act_1', reference: 'event-1', attempt: 2 };
const EVENT = { event_id: 'event-1', event: 'conversation.started' };
const REFUSED_TOKEN = { code: 'session_token_invalid', status: 401, token_problem: 'expired' } as const;
const OF_SITE = { org_id: 'org_1', site_id: 'site_1', action_id: 'act_1' };
const FAILED_RESULT = {
  ...{ success: false, status: 503, response_excerpt: SECRET, latency_ms: 7 },
  error: { code: 'http_status', message: SECRET },
} as const;
const SHOWN_RESULT = { status: 503, failure_code: 'http_status', latency_ms: 7 };

/** The fields that a report of a fact may leave out: what only some refusals have, which is typed where they are thrown. */
type Optional<OneFact> = OneFact extends unknown
  ? { [Name in keyof OneFact]-?: object extends Pick<OneFact, Name> ? Name : never }[keyof OneFact]
  : never;
test('a report of a fact can forget no field', () => {
  const exceptions: Readonly<Record<Optional<Fact>, true>> = { token_problem: true };
  expect(Object.keys(exceptions)).toHaveLength(1);
});

/**
 * Each fact with all its fields, the level of its line or null without one, its metrics, the fields that its line does not have under their names,
 * and those that it has instead. The saved query of errors (lib/monitoring.ts) finds them by their level.
 */
type Samples = {
  readonly [Kind in Fact['kind']]: {
    readonly fact: Required<FactOf<Kind>>;
    readonly level: 'INFO' | 'WARN' | 'ERROR' | null;
    readonly metrics: readonly (keyof typeof METRICS)[];
    readonly unshown?: readonly string[];
    readonly instead?: object;
  };
};
const SAMPLES: Samples = {
  attempt_made: {
    fact: {
      kind: 'attempt_made',
      ...attempt,
      ...OF_SITE,
      trigger: 'event',
      outcome: 'failed',
      result: FAILED_RESULT,
      is_test: true,
    },
    level: 'INFO',
    metrics: ['attempts', 'attemptLatency'],
    unshown: ['result'],
    instead: SHOWN_RESULT,
  },
  send_failed: { fact: { kind: 'send_failed', ...attempt, cause }, level: 'ERROR', metrics: [] },
  record_lost: {
    fact: { kind: 'record_lost', ...attempt, at: '2026-01-01', replay: 'r1', result: FAILED_RESULT, cause },
    level: 'ERROR',
    metrics: ['logWriteFailed'],
    unshown: ['result'],
    instead: { ...SHOWN_RESULT, record_state: 'failed' },
  },
  record_unqueued: { fact: { kind: 'record_unqueued', ...attempt, cause }, level: 'ERROR', metrics: [] },
  request_uncounted: {
    fact: { kind: 'request_uncounted', limit: 'quota', org_id: 'org_1', cause },
    level: 'ERROR',
    metrics: [],
  },
  endpoint_failing: {
    fact: { kind: 'endpoint_failing', ...OF_SITE, failing_since: '2026-01-01', failure_code: 'timeout' },
    level: 'WARN',
    metrics: ['endpointsFailing'],
  },
  watch_failed: {
    fact: { kind: 'watch_failed', event_id: 'event-1', action_id: 'act_1', cause },
    level: 'ERROR',
    metrics: [],
  },
  event_routed: {
    fact: { kind: 'event_routed', ...EVENT, org_id: 'org_1', site_id: 'site_1', deliveries: 0, unknown: 'site_id' },
    level: 'WARN',
    metrics: ['eventsOfNobody'],
    unshown: ['unknown'],
    instead: { field: 'site_id' },
  },
  event_dropped: {
    fact: { kind: 'event_dropped', ...EVENT, message_id: 'm-1', source: 'crm', account: '1', field: 'detail' },
    level: 'ERROR',
    metrics: ['eventsDropped'],
  },
  form_forwarded: {
    fact: { kind: 'form_forwarded', submission_id: 's-1', endpoint: true, escalation: 'none' },
    level: 'INFO',
    metrics: [],
  },
  forward_failed: {
    fact: { kind: 'forward_failed', submission_id: 's-1', to: 'endpoint', cause },
    level: 'ERROR',
    metrics: [],
  },
  submission_unsettled: {
    fact: { kind: 'submission_unsettled', submission_id: 's-1', cause },
    level: 'ERROR',
    metrics: [],
  },
  call_unrecorded: {
    fact: { kind: 'call_unrecorded', call_id: 'call-1', action_id: 'act_1', status: 200, latency_ms: 1, cause },
    level: 'ERROR',
    metrics: [],
  },
  action_unreadable: {
    fact: { kind: 'action_unreadable', action_id: 'act_1', cause },
    level: 'ERROR',
    metrics: ['unreadableActions'],
  },
  assistant_unreadable: {
    fact: { kind: 'assistant_unreadable', site_id: 'site_1', cause },
    level: 'ERROR',
    metrics: [],
  },
  organization_unreadable: {
    fact: { kind: 'organization_unreadable', org_id: 'org_1', cause },
    level: 'ERROR',
    metrics: [],
  },
  request_refused: {
    fact: { kind: 'request_refused', ...REFUSED_TOKEN, route: ROUTE, site_id: 'site_1' },
    level: 'INFO',
    metrics: ['refusals'],
    // The logger adds it, when the site exists.
    unshown: ['site_id'],
  },
  request_failed: { fact: { kind: 'request_failed', cause }, level: 'ERROR', metrics: ['failedRequests'] },
  invocation_failed: { fact: { kind: 'invocation_failed', cause }, level: 'ERROR', metrics: [] },
  message_failed: {
    fact: { kind: 'message_failed', message_id: 'm-1', seconds: 2, cause },
    level: 'ERROR',
    metrics: ['failedMessages'],
  },
  message_waits: {
    fact: { kind: 'message_waits', message_id: 'm-1', seconds: 2, why: 'throttled', cause },
    level: 'INFO',
    metrics: ['deliveriesThrottled'],
  },
  message_unhidden: { fact: { kind: 'message_unhidden', message_id: 'm-1', cause }, level: 'ERROR', metrics: [] },
  canary_ran: {
    fact: { kind: 'canary_ran', success: false, step: 'widget_init', problem: 'HTTP 500' },
    level: 'ERROR',
    metrics: ['canaryFailed'],
  },
  token_key_age: { fact: { kind: 'token_key_age', days: 3 }, level: null, metrics: ['tokenKeyAge'] },
  token_keys_rotated: { fact: { kind: 'token_keys_rotated', keys: 2, kid: 'k2' }, level: 'INFO', metrics: [] },
};

const OF_EVERY_LINE = { message: '', timestamp: '', service: '', sampling_rate: '', xray_trace_id: '' };

test.each(Object.values(SAMPLES))(
  '$fact.kind has its metrics, and its fields in its line at its level',
  async ({ fact, level, metrics, unshown, instead }) => {
    const { log } = await logged(async () => {
      const { reportFact, publish } = factReporter(functionLogger('test'), clock.now)();
      reportFact(fact);
      publish();
    });
    expect(log).not.toContain(SECRET);
    const lines: Record<string, unknown>[] = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const counted = Object.entries(METRICS).filter(([, name]) =>
      lines.some((line) => line._aws !== undefined && name in line),
    );
    expect(counted.map(([key]) => key)).toEqual(metrics);
    const ofFact = lines.filter(({ _aws }) => _aws === undefined).map((line) => ({ ...line, ...OF_EVERY_LINE }));
    const { kind, ...fields } = {
      ...fact,
      ...('cause' in fact && { cause: { error: 'SyntaxError', at: expect.any(Array) } }),
    };
    const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => unshown?.includes(name) !== true));
    expect(ofFact).toEqual(level === null ? [] : [{ level, ...shown, ...instead, ...OF_EVERY_LINE }]);
  },
);

const COMMENTS_AND_IMPORTS = /\/\*.*?\*\/|\/\/[^\n]*|^import [^;]*;/gms;
const sources = globSync('{src,lambdas}/**/*.ts', {
  exclude: ['src/deployment/**', 'src/domain/{facts,refusal}.ts', 'src/functions/fact-reporter.ts'],
}).map((path) => readFileSync(path, 'utf8').replace(COMMENTS_AND_IMPORTS, ''));

test.each(Object.keys(SAMPLES))('%s is reported somewhere', (kind) => {
  expect(sources.some((source) => source.includes(`kind: '${kind}'`))).toBe(true);
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

test('an endpoint whose response broke off after its status was reached, and its delivery succeeded', async () => {
  const { reportFact, publish } = factReporter(functionLogger('test'), clock.now)();
  const error = { code: 'timeout', message: 'The response broke off' } as const;
  const result = { success: true, status: 200, response_excerpt: 'o', latency_ms: 5000, error };
  const { log } = await logged(async () => {
    for (const org_id of ['org_a', 'org_b', 'org_c']) {
      const ids = {
        trigger: 'event',
        reference: `of_${org_id}`,
        org_id,
        site_id: 'site_1',
        action_id: 'act_1',
      } as const;
      reportFact({ kind: 'attempt_made', ...ids, attempt: 1, outcome: 'succeeded', result, is_test: false });
    }
    publish();
  });
  const metrics: Record<string, unknown>[] = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(metrics).toContainEqual(expect.objectContaining({ outcome: 'succeeded', Attempts: 3 }));
  expect(metrics).toContainEqual(expect.objectContaining({ UnreachedOrganizations: 0 }));
  expect(log).not.toContain('"outcome":"timeout"');
});

test('attempts of the Test button, whose endpoint may not work yet, tell nothing of the reachability and are no first attempts', async () => {
  const { reportFact, publish } = factReporter(functionLogger('test'), clock.now)();
  const error = { code: 'connect_failure', message: 'The endpoint refused the connection' } as const;
  const result = { success: false, status: null, response_excerpt: null, latency_ms: 5, error };
  const { log } = await logged(async () => {
    for (const org_id of ['org_a', 'org_b', 'org_c']) {
      const ids = { trigger: 'event', reference: org_id, org_id, site_id: 'site_1', action_id: 'act_1' } as const;
      reportFact({ kind: 'attempt_made', ...ids, attempt: 1, outcome: 'failed', result, is_test: true });
    }
    publish();
  });
  expect(log).toContain('"Attempts":3');
  expect(log).not.toMatch(/"UnreachedOrganizations":1|"attempt":"1"/);
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

test('a refused token has its problem in the line and in a dimension, and each problem has a line of its own', async () => {
  const { log } = await logged(async () => {
    const { reportFact, publish } = factReporter(functionLogger('test'), clock.now)();
    for (const token_problem of ['expired', 'wrong_signature', 'expired'] as const)
      reportFact({ kind: 'request_refused', code: 'session_token_invalid', status: 401, ...OF_ROUTE, token_problem });
    publish();
  });
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.flatMap(({ message, token_problem }) => (message === 'Refused' ? token_problem : []))).toEqual([
    'expired',
    'wrong_signature',
  ]);
  expect(lines.flatMap(({ _aws, token_problem }) => (_aws && token_problem) ?? [])).toEqual(
    expect.arrayContaining(['expired', 'wrong_signature']),
  );
});
