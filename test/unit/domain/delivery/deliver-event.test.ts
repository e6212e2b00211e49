import type { EventAction } from '../../../../src/contract/actions.ts';
import { FAILURE_CODES, type FailureCode } from '../../../../src/contract/delivery-record.ts';
import type { DeliveryMessage, NotCarried } from '../../../../src/contract/queues.ts';
import type { DeliveriesQueue, EndpointAnswer, FailurePeriods, Send, World } from '../../../../src/domain/context.ts';
import { deliverEvent, deliverMessage, recordNotCarried } from '../../../../src/domain/delivery/deliver-event.ts';
import { EXCERPT_BYTES } from '../../../../src/domain/delivery/delivery-log.ts';
import { anEventAction, ORG_ID } from '../../../fakes/configuration.ts';
import { anAttempt, answered, attemptFakes, DELIVERY, unanswered } from '../../../fakes/delivery.ts';
import { failing } from '../../../fakes/failing.ts';

const MESSAGE: DeliveryMessage = DELIVERY;

function setUp(action: EventAction | undefined = anEventAction()) {
  const fakes = attemptFakes();
  const later: { readonly message: DeliveryMessage; readonly seconds: number }[] = [];
  const context = {
    ...fakes.context,
    findAction: async (orgId: string, actionId: string) =>
      orgId === ORG_ID && actionId === action?.action_id ? action : undefined,
    queue: fakeQueue(async (message, seconds) => {
      later.push({ message, seconds });
    }),
  };
  const handle = (message: DeliveryMessage, changes: Partial<typeof context> = {}) =>
    deliverMessage(message, { ...context, ...changes }, fakes.invocation);
  const attempt = (changes: Partial<Pick<DeliveryMessage, 'action_id' | 'attempt'>> = {}) =>
    handle({ ...MESSAGE, ...changes });
  return { ...fakes, context, later, handle, attempt };
}

const fakeQueue = (sendLater: DeliveriesQueue['sendLater']): DeliveriesQueue => ({
  send: async () => ({ tooLarge: [] }),
  sendLater,
});
const queueAway = fakeQueue(failing('The queue is away'));

describe('an attempt', () => {
  test('sends the signed envelope with the connection key of its Action', async () => {
    const { attempt, outbound, clock } = setUp();
    expect(await attempt()).toMatchObject({ outcome: 'succeeded' });
    expect(outbound.requests).toHaveLength(1);
    const request = outbound.requests[0];
    expect(Buffer.from(request?.body ?? []).toString()).toBe(JSON.stringify(MESSAGE.envelope));
    expect(request).toMatchObject({ method: 'POST', url: 'https://crm.example/events' });
    expect(outbound.policies).toEqual([{ connectionKey: 'act_event 1', keepBytes: EXCERPT_BYTES }]);
    expect(request?.headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Integration/1.0',
      'X-Service-Signature': expect.stringMatching(
        new RegExp(`^t=${Math.floor(clock.now().getTime() / 1000)},v1=[0-9a-f]{64}$`),
      ),
      'X-Service-Trigger': 'event',
      'X-Service-Trigger-Ref': 'conversation.started',
    });
  });

  test('sends and records no body on GET', async () => {
    const { attempt, outbound, log } = setUp(anEventAction({ method: 'GET' }));
    await attempt();
    expect(outbound.requests[0]?.body).toBeNull();
    expect(await log.all()).toMatchObject([{ payload: null }]);
  });

  test('is recorded before it is sent, and completed afterwards', async () => {
    const { attempt, handle, log, outbound } = setUp();
    const statesWhenSending: (string | undefined)[] = [];
    const send: Send = async (...request) => {
      statesWhenSending.push((await log.all())[0]?.state);
      return outbound.send(...request);
    };
    await handle(MESSAGE, { send });
    expect(statesWhenSending).toEqual(['started']);
    expect(await log.all()).toMatchObject([
      {
        action_id: 'act_event',
        event_time: '2026-03-04T05:06:00Z',
        reference: MESSAGE.envelope.id,
        attempt: 1,
        trigger: 'event',
        trigger_ref: 'conversation.started',
        payload: JSON.stringify(MESSAGE.envelope),
        started_at: '2026-03-04T05:06:07.250Z',
        ...{ status: 200, response_excerpt: 'ok', latency_ms: 12, success: true, error: null, sends: 1 },
      },
    ]);
    expect(await attempt()).toMatchObject({ outcome: 'taken' });
  });

  test('stores neither the signature that the endpoint echoes nor the secret', async () => {
    const { log, handle } = setUp();
    await handle(MESSAGE, {
      send: async ({ headers, withheldTexts: withheld }) => answered(200, JSON.stringify(headers), null, withheld),
    });
    expect(await log.all()).toMatchObject([{ response_excerpt: expect.stringContaining('v1=(not shown)') }]);
    expect(JSON.stringify(log.items())).not.toMatch(/whsec_|[0-9a-f]{64}/);
  });
});

test('every request counts against the quota of its organization, including retries and replays', async () => {
  const { attempt, handle, outbound } = setUp(anEventAction({ daily_outbound_quota: 500 }));
  await attempt();
  await attempt({ attempt: 2 });
  await handle({ ...MESSAGE, replay: '0123456789ab' });
  expect(outbound.policies.map(({ quota }) => quota)).toEqual(Array(3).fill({ orgId: ORG_ID, perDay: 500 }));
});

test('a message that the queue delivers twice costs one request of the quota', async () => {
  const { handle, outbound } = setUp(anEventAction({ daily_outbound_quota: 500 }));
  for (let nth = 0; nth < 2; nth++) await handle(MESSAGE);
  expect(outbound.requests).toHaveLength(1);
});

test.each([{}, { daily_outbound_quota: null }])('%p is no quota', async (restrictions) => {
  const { attempt, outbound } = setUp(anEventAction(restrictions));
  await attempt();
  expect(outbound.policies.map(({ quota }) => quota)).toEqual([undefined]);
});

describe('a replay', () => {
  const replayed: DeliveryMessage = { ...MESSAGE, replay: '0123456789ab' };

  test('has its own attempts with the same envelope id', async () => {
    const { attempt, handle, log, outbound, later } = setUp();
    await attempt();
    outbound.outcomes = [answered(200), answered(503)];
    expect(await handle(replayed)).toMatchObject({ outcome: 'failed' });
    expect(later).toEqual([{ message: { ...replayed, attempt: 2 }, seconds: 2 }]);
    expect(await log.all()).toMatchObject([
      { attempt: 1, replay: null },
      { attempt: 1, replay: '0123456789ab' },
    ]);
    const bodies = outbound.requests.map(({ body }) => JSON.parse(Buffer.from(body ?? []).toString()).id);
    expect(bodies).toEqual([MESSAGE.envelope.id, MESSAGE.envelope.id]);
  });
});

describe('after a failure', () => {
  const FINAL = [200, 201, 204, 299, 301, 302, 307, 400, 401, 404, 407, 409, 410, 428, 430, 499];
  const RETRIED = [408, 429, 500, 502, 503, 599];
  test.each([...FINAL.map((status) => [status, []] as const), ...RETRIED.map((status) => [status, [2]] as const)])(
    'with status %p the next attempt is scheduled after %j seconds',
    async (status, seconds) => {
      const { attempt, outbound, later } = setUp();
      outbound.outcomes = [answered(status)];
      expect((await attempt()).outcome).toBe(status < 300 ? 'succeeded' : 'failed');
      expect(later.map((retry) => retry.seconds)).toEqual(seconds);
    },
  );

  /** The codes with which another attempt is made. */
  const PASSING = 'timeout dns_failure connect_failure tls_failure connection_closed response_malformed'.split(' ');
  test.each(FAILURE_CODES.filter((code) => code !== 'http_status'))('with the code %p', async (code) => {
    const retried = PASSING.includes(code);
    const { attempt, outbound, later, log } = setUp();
    outbound.outcomes = [unanswered(code)];
    expect((await attempt()).outcome).toBe('failed');
    expect(later).toHaveLength(retried ? 1 : 0);
    expect(await log.all()).toMatchObject([{ success: false, status: null, response_excerpt: null, error: { code } }]);
  });

  test('schedules attempt 2 after 2 seconds, attempt 3 after 4, and no attempt 4, each newly signed with the same body', async () => {
    const { attempt, outbound, later, log, clock } = setUp();
    outbound.outcomes = [answered(503)];
    for (const number of [1, 2, 3]) {
      await attempt({ attempt: number });
      clock.advance(2000);
    }
    expect(later).toEqual([
      { message: { ...MESSAGE, attempt: 2 }, seconds: 2 },
      { message: { ...MESSAGE, attempt: 3 }, seconds: 4 },
    ]);
    expect((await log.all()).map((record) => record.attempt)).toEqual([1, 2, 3]);
    const { requests } = outbound;
    expect(requests.map(({ body }) => Buffer.from(body ?? []))).toEqual(
      Array(3).fill(Buffer.from(JSON.stringify(MESSAGE.envelope))),
    );
    expect(new Set(requests.map(({ headers }) => headers['X-Service-Signature'])).size).toBe(3);
  });

  test('a 2xx with an incomplete body is a success with an error and is not retried', async () => {
    const { attempt, outbound, later, log } = setUp();
    const error = { code: 'timeout', message: 'The body did not end in time' } as const;
    outbound.outcomes = [answered(200, '', error)];
    expect((await attempt()).outcome).toBe('succeeded');
    expect(later).toEqual([]);
    expect(await log.all()).toMatchObject([{ success: true, status: 200, error }]);
  });
});

describe('after an internal error', () => {
  const ATTEMPT = { action_id: 'act_event', reference: MESSAGE.envelope.id, attempt: 1 };

  test('of the sender the failure is recorded, and its cause is reported', async () => {
    const { attempt, outbound, log, invocation } = setUp();
    const cause = new Error('a fault of the sender');
    outbound.outcomes = [{ ...unanswered('internal_error'), cause }];
    expect((await attempt()).outcome).toBe('failed');
    expect(await log.all()).toMatchObject([{ error: { code: 'internal_error', message: 'internal_error' } }]);
    expect(invocation.facts).toEqual([{ kind: 'send_failed', ...ATTEMPT, cause }]);
  });

  test('a signing secret that cannot be opened prevents the request and leaves no record', async () => {
    const { outbound, log, handle } = setUp();
    const attempting = handle(MESSAGE, { openSigningSecret: failing('The key store is away') });
    await expect(attempting).rejects.toThrow('key store');
    expect([outbound.requests, await log.all()]).toEqual([[], []]);
  });

  test('a record that cannot be completed is reported, and the retry is still queued', async () => {
    const { attempt, outbound, later, log, invocation } = setUp();
    outbound.outcomes = [answered(503)];
    log.failing.add('complete');
    expect((await attempt()).outcome).toBe('failed');
    expect(
      later.map(({ message, seconds }) => [message.unrecorded_result !== undefined, message.attempt, seconds]),
    ).toEqual([
      [false, 2, 2],
      [true, 1, 2],
    ]);
    expect(invocation.facts).toEqual([
      {
        kind: 'record_lost',
        ...ATTEMPT,
        at: MESSAGE.envelope.timestamp,
        replay: undefined,
        result: expect.objectContaining({ status: 503 }),
        cause: expect.any(Error),
      },
    ]);
  });

  test('a record that cannot be completed is completed by a separate message, which sends no request', async () => {
    const { attempt, handle, outbound, later, log } = setUp();
    log.failing.add('complete');
    await attempt();
    const [left] = later.splice(0);
    if (left === undefined) throw new Error('Nothing was queued');
    await expect(handle(left.message)).rejects.toThrow('The log is away');
    log.failing.clear();
    expect(await handle(left.message)).toEqual({ outcome: 'recorded', result: null });
    expect(await log.all()).toMatchObject([{ sends: 1, status: 200 }]);
    expect([outbound.requests.length, later.length]).toEqual([1, 0]);
  });

  test('the attempt ends when neither the record nor that message can be written', async () => {
    const { log, invocation, handle } = setUp();
    log.failing.add('complete');
    expect(await handle(MESSAGE, { queue: queueAway })).toMatchObject({ outcome: 'succeeded' });
    expect(invocation.facts).toMatchObject([
      { kind: 'record_lost' },
      { kind: 'record_unqueued', ...ATTEMPT, cause: { message: 'The queue is away' } },
    ]);
  });

  test('when neither the record nor the retry can be written, only the outcome of the repeated request is recorded', async () => {
    const { outbound, log, handle } = setUp();
    outbound.outcomes = [answered(503)];
    log.failing.add('complete');
    const versions: number[] = [];
    const queue = fakeQueue(async ({ version }) => {
      versions.push(version);
      throw new Error('The queue is away');
    });
    await expect(handle(MESSAGE, { queue })).rejects.toThrow('The queue is away');
    expect(versions).toEqual([1]);
  });
});

test.each<[FailureCode, number]>([
  ['invalid_url', 0],
  ['blocked_address', 0],
  ['dns_failure', 0],
  ['connect_failure', 0],
  ['quota_exceeded', 0],
  ['too_many_in_flight', 0],
  // The request may have left before.
  ['tls_failure', 1],
  ['timeout', 1],
  ['connection_closed', 1],
  ['internal_error', 1],
])('after %s the record counts %i requests', async (code, sends) => {
  const { attempt, clock, handle, outbound, log } = setUp();
  outbound.outcomes = [unanswered(code)];
  await attempt();
  expect(await log.all()).toMatchObject([{ sends, error: { code } }]);
  // Of a request that a crash has cut off, nobody knows.
  const cutOff = { ...MESSAGE, attempt: 2 };
  await log.claim({ ...anAttempt(), reference: MESSAGE.envelope.id, attempt: 2 });
  clock.advance(21_000);
  await handle(cutOff);
  expect((await log.all()).at(-1)).toMatchObject({ attempt: 2, sends: 2, error: { code } });
});

describe('is recorded as failed without a request', () => {
  test.each<[Partial<EventAction>, FailureCode, string]>([
    [{ enabled: false }, 'action_disabled', 'The Action is disabled'],
    [{ suspended: true }, 'organization_suspended', 'The organization is suspended'],
  ])('of the Action %j: %s', async (changes, code, message) => {
    const { attempt, outbound, log, later } = setUp(anEventAction(changes));
    expect(await attempt({ attempt: 2 })).toEqual({ outcome: 'unsent', result: null });
    expect([outbound.requests, later]).toEqual([[], []]);
    expect(await log.all()).toMatchObject([{ sends: 0, success: false, error: { code, message } }]);
  });

  test('unless its Action is deleted: its log may be erased, so only an attempt that was cut off is ended', async () => {
    const { attempt, clock, outbound, log, later } = setUp(anEventAction({ action_id: 'act_other' }));
    expect(await attempt()).toEqual({ outcome: 'unsent', result: null });
    expect(await log.all()).toEqual([]);
    await log.claim({ ...anAttempt(), reference: MESSAGE.envelope.id });
    await expect(attempt()).rejects.toThrow('Another invocation is making this attempt');
    expect(await log.all()).toMatchObject([{ state: 'started' }]);
    clock.advance(20_000);
    await attempt();
    const error = { code: 'action_deleted', message: 'The Action was deleted' };
    expect(await log.all()).toMatchObject([{ state: 'failed', payload: null, error }]);
    expect([outbound.requests, later]).toEqual([[], []]);
  });

  test('without changing the record of a request that was sent before', async () => {
    const first = setUp();
    await first.attempt();
    await first.handle(MESSAGE, { findAction: async () => anEventAction({ enabled: false }) });
    expect(await first.log.all()).toMatchObject([{ sends: 1, success: true }]);
  });

  test.each<[NotCarried, string, string, boolean]>([
    ['too_deep', 'nested too deeply', 'The data of the event is nested in more than 500 levels', false],
    ['too_large', 'too large for a queue message', 'The event is too large to be delivered', true],
  ])('when its data is %s: %s', async (why, _, message, withPayload) => {
    const { log, invocation } = setUp();
    const data = withPayload ? {} : JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    const event = { ...MESSAGE, envelope: { ...MESSAGE.envelope, data } };
    await recordNotCarried(event, why, { deliveryLog: log }, invocation);
    // JSON.stringify cannot write data that is nested too deeply.
    const payload = withPayload ? JSON.stringify(event.envelope) : null;
    const start = { action_id: 'act_event', reference: MESSAGE.envelope.id, attempt: 1, payload };
    const error = { code: 'payload_too_large', message };
    expect(await log.all()).toMatchObject([{ ...start, success: false, error, sends: 0 }]);
  });
});

function watched(changes: Partial<Pick<World, 'findAction'> & FailurePeriods> = {}) {
  const { outbound, invocation, context } = attemptFakes();
  const noted: string[] = [];
  const watching = {
    ...context,
    findAction: async () => anEventAction(),
    ...changes,
    queue: fakeQueue(async () => undefined),
    failurePeriods: {
      recordFailure: async (actionId: string) => {
        noted.push(actionId);
        return { since: Number.MAX_SAFE_INTEGER, signalled_at: null };
      },
      hasSucceeded: async () => false,
      replacePeriod: async () => true,
      ...changes,
    },
    publishFailing: async () => undefined,
  };
  const work = (attempt = 3) =>
    deliverEvent({ message: { ...DELIVERY, attempt }, messageId: 'message-1' }, watching, invocation);
  return { outbound, invocation, noted, work };
}

const away = failing('The table is away');

const attempted = (attempt: number) => {
  const { id: reference, org_id, site_id } = DELIVERY.envelope;
  return { kind: 'attempt_made', trigger: 'event', reference, org_id, site_id, action_id: 'act_event', attempt };
};
const failed = { outcome: 'failed', result: { status: 500 } };

test.each<[string, number, EndpointAnswer, Parameters<typeof watched>[0], object, string[]]>([
  ['the failure of a delivery', 3, answered(500), {}, failed, ['act_event']],
  ['a success', 3, answered(200), {}, { outcome: 'succeeded', result: { status: 200 } }, []],
  [
    'a success whose body is not whole',
    3,
    answered(200, '', { code: 'timeout', message: 'The response did not end in time' }),
    {},
    { outcome: 'succeeded', result: { status: 200, error: { code: 'timeout' } } },
    [],
  ],
  ['a failure with a retry', 2, answered(500), {}, failed, []],
  [
    'a message without an attempt',
    3,
    answered(500),
    { findAction: async () => undefined },
    { outcome: 'unsent', result: null },
    [],
  ],
])(
  '%s is reported, and recorded when the endpoint has failed',
  async (_, attempt, outcome, changes, reported, failures) => {
    const { work, outbound, invocation, noted } = watched(changes);
    outbound.outcomes = [outcome];
    await work(attempt);
    expect(invocation.facts).toMatchObject([{ ...attempted(attempt), ...reported }]);
    expect(noted).toEqual(failures);
  },
);

test('a failed endpoint check is reported, and the message is not delivered again', async () => {
  const { work, outbound, invocation } = watched({ recordFailure: away });
  outbound.outcomes = [answered(500)];
  await work();
  const watch_failed = {
    event_id: DELIVERY.envelope.id,
    action_id: 'act_event',
    cause: new Error('The table is away'),
  };
  expect(invocation.facts).toMatchObject([attempted(3), { kind: 'watch_failed', ...watch_failed }]);
});

test('a message that cannot be handled is delivered again and not reported', async () => {
  const { work, outbound, invocation } = watched({ findAction: away });
  await expect(work()).rejects.toThrow('The table is away');
  expect([outbound.requests, invocation.facts]).toEqual([[], []]);
});
