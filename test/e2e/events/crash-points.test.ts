import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { dynamoDbClient } from '../../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { deliveryLog, deliveryRecords, eventAttempts } from '../../../src/adapters/dynamodb/delivery-log.ts';
import { untilAborted } from '../../../src/adapters/outbound/attempt.ts';
import type { DeliveryRecord } from '../../../src/contract/deliveries.ts';
import type { DeliveryMessage } from '../../../src/contract/queues.ts';
import { type AttemptDeliveryPorts, attemptDelivery } from '../../../src/domain/delivery/attempt-delivery.ts';
import { InvocationEnded } from '../../../src/domain/delivery/outbound.ts';
import { attemptOnce } from '../../../src/domain/delivery/single-attempt.ts';
import type { EventTime } from '../../../src/domain/operations/event-attempts.ts';
import { replayEvent } from '../../../src/domain/operations/replay-event.ts';
import { traceEvent } from '../../../src/domain/operations/trace-event.ts';
import { unlessEnded, withinInvocation } from '../../../src/functions/invocation.ts';
import { aFormAction, anEventAction, ORG_ID, SITE_ID } from '../../fakes/configuration.ts';
import { InMemoryConfigurationStore } from '../../fakes/configuration-store.ts';
import { answered, FakeLogWriteFailed, FakeOutbound, openSigningSecret } from '../../fakes/delivery.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';
import { IN_PAYLOADS_ONLY } from '../../harness/logs/leaks.ts';
import { startTables, type TestTables } from '../adapters/dynamodb/tables.ts';

/** Tests deliveries whose function stops at any point, with a real delivery log: the requests that were sent and their records. */

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

/** Where a function stops. At `before_acknowledgement` the work is complete, but the queue does not delete the message. */
const CRASH_POINTS = [
  'after_claim',
  'after_send',
  'after_record',
  'after_retry_message',
  'before_acknowledgement',
] as const;
type CrashPoint = (typeof CRASH_POINTS)[number];

/** Seconds until the queue delivers an unacknowledged message again. */
const VISIBILITY_SECONDS = 90;

type Queued = { readonly message: DeliveryMessage; readonly id: string };

/** Prepares one delivery, with an endpoint that answers with these statuses in turn, a queue, and a delivery log in a table. */
function aDelivery(statuses: readonly number[]) {
  const clock = new FrozenClock();
  const action = anEventAction({ action_id: `act_${randomUUID()}` });
  const log = deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: clock.now });
  const outbound = new FakeOutbound();
  outbound.outcomes = statuses.map((status) => answered(status));
  const message: DeliveryMessage = {
    version: 1,
    action_id: action.action_id,
    attempt: 1,
    envelope: {
      id: randomUUID(),
      event: 'conversation.started',
      timestamp: '2026-03-04T05:06:00Z',
      data: { text: IN_PAYLOADS_ONLY },
      site_id: SITE_ID,
      org_id: ORG_ID,
    },
  };
  const queue: Queued[] = [{ message, id: 'message-0' }];
  let sent = 0;
  const enqueue = (next: DeliveryMessage) => queue.push({ message: next, id: `message-${++sent}` });
  const ports: AttemptDeliveryPorts = {
    findAction: async () => action,
    openSigningSecret,
    log,
    logWriteFailed: new FakeLogWriteFailed().report,
    makeAttempt: outbound.makeAttempt,
    sendLater: async (next) => {
      enqueue(next);
    },
    now: clock.now,
  };

  /** Delivers a message to a function that stops at a point without an error. @returns what happens to the message */
  const receive = async (
    { message: received, id }: Queued,
    crash?: CrashPoint,
  ): Promise<'acknowledged' | 'visible again'> => {
    let die = (): void => undefined;
    const death = new Promise<'dead'>((resolve) => {
      die = () => resolve('dead');
    });
    const dead = (): Promise<never> => {
      die();
      return new Promise<never>(() => undefined);
    };
    const mortal: AttemptDeliveryPorts = {
      ...ports,
      log: {
        ...log,
        complete: async (start, result) => {
          await log.complete(start, result);
          if (crash === 'after_record') await dead();
        },
      },
      makeAttempt: async (request) => {
        if (crash === 'after_claim') return dead();
        const outcome = await ports.makeAttempt(request);
        return crash === 'after_send' ? dead() : outcome;
      },
      sendLater: async (next, seconds) => {
        await ports.sendLater(next, seconds);
        if (crash === 'after_retry_message') await dead();
      },
    };
    const work = attemptDelivery(received, id, mortal).then(
      () => (crash === 'before_acknowledgement' ? 'dead' : 'done'),
      () => 'failed',
    );
    return (await Promise.race([work, death])) === 'done' ? 'acknowledged' : 'visible again';
  };

  /** Processes the queue until it is empty. @param crashes where the function stops, one entry per received message */
  const run = async (crashes: readonly (CrashPoint | undefined)[] = []): Promise<void> => {
    const remaining = [...crashes];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if ((await receive(next, remaining.shift())) === 'acknowledged') continue;
      clock.advance(VISIBILITY_SECONDS * 1000);
      queue.push(next);
    }
  };

  const records = async (): Promise<DeliveryRecord[]> => {
    const found: DeliveryRecord[] = [];
    for await (const record of deliveryRecords(tables.client, tables.sorted, action.action_id)) found.unshift(record);
    return found;
  };
  return { action, clock, enqueue, message, outbound, ports, queue, receive, records, run };
}

describe('an invocation whose time is over is not stopped, and its message is delivered again', () => {
  /** Longer than an attempt counts as one in progress. */
  const REDELIVERED_MS = 30_000;
  const timed = (handle: (ports: AttemptDeliveryPorts) => Promise<unknown>, ports: AttemptDeliveryPorts, ms: number) =>
    withinInvocation({ getRemainingTimeInMillis: () => ms }, (ended) =>
      handle({
        ...ports,
        makeAttempt: (request) => ports.makeAttempt(request, ended),
        sendLater: unlessEnded(ended, ports.sendLater),
      }),
    );
  const held = () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { until, release };
  };

  test('while its request is under way: the request ends, and only the redelivery records and retries', async () => {
    const { clock, outbound, ports, queue, records, receive } = aDelivery([503]);
    const [first] = queue.splice(0);
    if (first === undefined) throw new Error('Nothing is queued');
    const hanging: AttemptDeliveryPorts = {
      ...ports,
      makeAttempt: (_, ended = AbortSignal.abort()) =>
        untilAborted(ended, new Promise<never>(() => undefined), () => undefined),
    };
    await expect(timed((own) => attemptDelivery(first.message, first.id, own), hanging, 20)).rejects.toThrow(
      InvocationEnded,
    );
    expect(queue).toEqual([]);
    clock.advance(REDELIVERED_MS);
    expect(await receive(first)).toBe('acknowledged');
    expect(outbound.requests).toHaveLength(1);
    expect((await records()).map(({ state, sends }) => [state, sends])).toEqual([['failed', 2]]);
    expect(queue.map(({ message }) => message.attempt)).toEqual([2]);
  });

  test('before its request: it sends none', async () => {
    const { clock, outbound, ports, queue, receive } = aDelivery([200]);
    const [first] = queue.splice(0);
    if (first === undefined) throw new Error('Nothing is queued');
    const [claimed, slow] = [held(), held()];
    const claiming: AttemptDeliveryPorts = {
      ...ports,
      log: {
        ...ports.log,
        claim: async (start) => {
          const claim = await ports.log.claim(start);
          claimed.release();
          await slow.until;
          return claim;
        },
      },
      makeAttempt: async (request, ended) => {
        ended?.throwIfAborted();
        return ports.makeAttempt(request);
      },
    };
    const late = timed((own) => attemptDelivery(first.message, first.id, own), claiming, 20);
    await claimed.until;
    await new Promise((resolve) => setTimeout(resolve, 40));
    clock.advance(REDELIVERED_MS);
    expect(await receive(first)).toBe('acknowledged');
    slow.release();
    await expect(late).rejects.toThrow(InvocationEnded);
    expect(outbound.requests).toHaveLength(1);
  });

  test('after its request: its record does not replace the one of the redelivery, and one retry is scheduled', async () => {
    const { clock, outbound, ports, queue, records, receive } = aDelivery([503, 500]);
    const [first] = queue.splice(0);
    if (first === undefined) throw new Error('Nothing is queued');
    const [sent, slow] = [held(), held()];
    const completing: AttemptDeliveryPorts = {
      ...ports,
      log: {
        ...ports.log,
        complete: async (start, result) => {
          sent.release();
          await slow.until;
          await ports.log.complete(start, result);
        },
      },
    };
    const late = timed((own) => attemptDelivery(first.message, first.id, own), completing, 20);
    await sent.until;
    await new Promise((resolve) => setTimeout(resolve, 40));
    clock.advance(REDELIVERED_MS);
    expect(await receive(first)).toBe('acknowledged');
    slow.release();
    await expect(late).rejects.toThrow(InvocationEnded);
    expect(outbound.requests).toHaveLength(2);
    expect((await records()).map(({ status, sends }) => [status, sends])).toEqual([[500, 2]]);
    expect(queue.map(({ message }) => message.attempt)).toEqual([2]);
  });
});

describe('a function that stops', () => {
  test.each<[CrashPoint, number, number]>([
    ['after_claim', 3, 4],
    ['after_send', 4, 4],
    ['after_record', 3, 3],
    ['after_retry_message', 3, 3],
    ['before_acknowledgement', 3, 3],
  ])('%s: %p requests are sent, and the log counts %p', async (crash, requests, counted) => {
    const { outbound, records, run, message } = aDelivery([503]);
    await run([crash]);
    expect(outbound.requests).toHaveLength(requests);
    const logged = await records();
    expect(logged.map(({ attempt, status, state }) => [attempt, status, state])).toEqual([
      [1, 503, 'failed'],
      [2, 503, 'failed'],
      [3, 503, 'failed'],
    ]);
    expect(logged.reduce((sum, record) => sum + record.sends, 0)).toBe(counted);
    const ids = outbound.requests.map(({ body }) => JSON.parse(Buffer.from(body ?? []).toString()).id);
    expect(new Set(ids)).toEqual(new Set([message.envelope.id]));
  });

  test('anywhere, any number of times, with duplicate messages: loses no event, and repeats only requests that were cut off', async () => {
    const crash = fc.option(fc.constantFrom(...CRASH_POINTS), { nil: undefined });
    const status = fc.constantFrom(200, 204, 400, 408, 429, 500, 503);
    const setUp = fc.record({
      statuses: fc.array(status, { minLength: 1, maxLength: 8 }),
      crashes: fc.array(crash, { maxLength: 10 }),
      copies: fc.nat({ max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(setUp, async ({ statuses, crashes, copies }) => {
        const { enqueue, message, outbound, records, run } = aDelivery(statuses);
        for (let i = 0; i < copies; i++) enqueue(message);
        await run(crashes);
        const logged = await records();
        const last = logged.at(-1);
        // The event is delivered at least once, or all attempts of the spec have failed.
        expect(logged.every((record) => record.state !== 'started')).toBe(true);
        const givenUp = last?.attempt === 3 || last?.status === 400;
        expect(last?.success === true || givenUp).toBe(true);
        expect(logged.map((record) => record.attempt)).toEqual([1, 2, 3].slice(0, logged.length));
        expect(logged.slice(0, -1).every((record) => !record.success)).toBe(true);
        // Every request is counted in a record, and only a crash causes an additional request.
        const sends = logged.reduce((sum, record) => sum + record.sends, 0);
        expect(outbound.requests.length).toBeLessThanOrEqual(sends);
        const unsent = crashes.filter((point) => point === 'after_claim').length;
        expect(outbound.requests.length).toBeGreaterThanOrEqual(sends - unsent);
        const cutOff = crashes.filter((point) => point === 'after_send').length;
        expect(outbound.requests.length).toBeLessThanOrEqual(logged.length + cutOff);
        const ids = outbound.requests.map(({ body }) => JSON.parse(Buffer.from(body ?? []).toString()).id);
        expect(ids.every((id) => id === message.envelope.id)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('and whose Action is disabled before the message is visible again: the record ends with action_disabled', async () => {
    const { action, clock, message, outbound, ports, receive, records } = aDelivery([503]);
    await receive({ message, id: 'message-0' }, 'after_send');
    clock.advance(VISIBILITY_SECONDS * 1000);
    const disabled = { ...ports, findAction: async () => ({ ...action, enabled: false }) };
    await attemptDelivery(message, 'message-0', disabled);
    expect(outbound.requests).toHaveLength(1);
    expect(await records()).toEqual([
      expect.objectContaining({
        attempt: 1,
        sends: 1,
        state: 'failed',
        error: expect.objectContaining({ code: 'action_disabled' }),
      }),
    ]);
  });

  test('before the retry message, and whose Action is then disabled: the attempt that is not made is recorded', async () => {
    const { action, message, ports, queue, receive, records, run } = aDelivery([503]);
    queue.shift();
    await receive({ message, id: 'message-0' }, 'after_record');
    await attemptDelivery(message, 'message-0', { ...ports, findAction: async () => ({ ...action, enabled: false }) });
    expect(queue.map((one) => one.message.attempt)).toEqual([2]);
    const [retry] = queue.splice(0);
    if (retry !== undefined) {
      await attemptDelivery(retry.message, retry.id, { ...ports, findAction: async () => undefined });
    }
    await run();
    expect((await records()).map(({ attempt, sends, error }) => [attempt, sends, error?.code])).toEqual([
      [1, 1, 'http_status'],
      [2, 0, 'action_deleted'],
    ]);
  });

  test('shortly before its message is received again: the second receive sends nothing, and the message is visible again later', async () => {
    const { clock, message, outbound, receive } = aDelivery([200]);
    await receive({ message, id: 'message-0' }, 'after_send');
    expect(await receive({ message, id: 'message-0' })).toBe('visible again');
    expect(outbound.requests).toHaveLength(1);
    clock.advance(20_000);
    expect(await receive({ message, id: 'message-0' })).toBe('acknowledged');
    expect(outbound.requests).toHaveLength(2);
  });
});

describe('an operator traces and replays an event', () => {
  /** Returns functions that trace and replay a delivery's event as `va-wave event trace` and `replay` do. */
  async function operatorOf({ action, clock, enqueue, message, records, run }: ReturnType<typeof aDelivery>) {
    const store = new InMemoryConfigurationStore();
    await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'free', created_at: '2026-01-01T00:00:00Z' });
    await store.createAction({ ...action, created_at: '2026-03-01T00:00:00Z', updated_at: '2026-03-01T00:00:00Z' });
    const ports = {
      store,
      now: clock.now,
      randomBytes: countingBytes(),
      eventAttempts: (id: string, event: string, when: EventTime) =>
        eventAttempts(tables.client, tables.sorted, id, event, when),
      sendDelivery: async (next: DeliveryMessage) => {
        enqueue(next);
      },
    };
    const { id, timestamp: at } = message.envelope;
    const asked = { eventId: id, search: { at } };
    const trace = async () => {
      const { deliveries } = await traceEvent({ ...asked, orgId: ORG_ID }, ports, () => undefined);
      return deliveries.map(({ outcome, attempts }) => [outcome, attempts.map(({ state }) => state)]);
    };
    const replay = async () => {
      await replayEvent({ ...asked, actionId: action.action_id }, ports);
      await run();
      const replayed = (await records()).filter((record) => record.replay !== null);
      return replayed.map(({ payload }) => payload);
    };
    return { trace, replay, envelope: JSON.stringify(message.envelope) };
  }

  test('whose function stopped after sending, after its message was received again', async () => {
    const delivery = aDelivery([200]);
    await delivery.run(['after_send']);
    const { trace, replay, envelope } = await operatorOf(delivery);
    expect(await trace()).toEqual([['delivered', ['succeeded']]]);
    expect(await replay()).toEqual([envelope]);
  });

  test('whose function stopped after sending, before its message is visible again: it is traced, but not replayed yet', async () => {
    const delivery = aDelivery([200]);
    const [first] = delivery.queue;
    if (first === undefined) throw new Error('Nothing is queued');
    await delivery.receive(first, 'after_send');
    const { trace, replay } = await operatorOf(delivery);
    expect(await trace()).toEqual([['under_way', ['started']]]);
    delivery.queue.length = 0;
    await expect(replay()).rejects.toMatchObject({ code: 'envelope_not_kept' });
  });

  test('whose record could not be completed after the request', async () => {
    const delivery = aDelivery([200]);
    const { message, ports, queue, run } = delivery;
    queue.length = 0;
    const failing = { ...ports.log, complete: async () => Promise.reject(new Error('The log cannot be written')) };
    await attemptDelivery(message, 'message-0', { ...ports, log: failing });
    const { trace, replay, envelope } = await operatorOf(delivery);
    expect(await trace()).toEqual([['under_way', ['started']]]);
    await run();
    expect(await trace()).toEqual([['delivered', ['succeeded']]]);
    expect(delivery.outbound.requests).toHaveLength(1);
    expect(await replay()).toEqual([envelope]);
  });

  test('whose Action was disabled after the crash', async () => {
    const delivery = aDelivery([200]);
    const { action, clock, message, ports, queue, receive } = delivery;
    queue.length = 0;
    await receive({ message, id: 'message-0' }, 'after_send');
    clock.advance(VISIBILITY_SECONDS * 1000);
    await attemptDelivery(message, 'message-0', {
      ...ports,
      findAction: async () => ({ ...action, enabled: false }),
    });
    const { trace, replay, envelope } = await operatorOf(delivery);
    expect(await trace()).toEqual([['failed', ['failed']]]);
    expect(await replay()).toEqual([envelope]);
  });

  test('whose function stopped five times, and whose message was redriven from the dead-letter queue with another id', async () => {
    const delivery = aDelivery([200]);
    const { clock, message, queue, receive, run, enqueue, outbound } = delivery;
    queue.length = 0;
    for (let count = 1; count <= 5; count++) {
      await receive({ message, id: 'message-0' }, 'after_claim');
      clock.advance(VISIBILITY_SECONDS * 1000);
    }
    const { trace, replay, envelope } = await operatorOf(delivery);
    expect(await trace()).toEqual([['under_way', ['started']]]);
    // The redrive keeps the claim's message id in an attribute.
    queue.push({ message, id: 'message-0' });
    await run();
    expect(await trace()).toEqual([['delivered', ['succeeded']]]);
    expect(outbound.requests).toHaveLength(1);
    expect(await replay()).toEqual([envelope]);
    enqueue(message);
    await run();
    expect(outbound.requests).toHaveLength(2);
  });
});

describe('a delivery log that cannot be written', () => {
  /** Starts a DynamoDB that answers 500 to these operations and 200 to others, for the functions' client. */
  async function failingLog(operations: readonly string[]) {
    const tries: string[] = [];
    const server = createServer((request, response) => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      tries.push(operation);
      request.resume().on('end', () => {
        response.writeHead(operations.includes(operation) ? 500 : 200, {
          'content-type': 'application/x-amz-json-1.0',
        });
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = dynamoDb(
      dynamoDbClient({
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        region: 'eu-central-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      }),
    );
    const clock = new FrozenClock();
    const outbound = new FakeOutbound();
    const written = new FakeLogWriteFailed();
    const later: number[] = [];
    const ports = {
      findAction: async () => anEventAction(),
      openSigningSecret,
      log: deliveryLog(client, 'log', { retentionDays: 30, now: clock.now }),
      logWriteFailed: written.report,
      makeAttempt: outbound.makeAttempt,
      sendLater: async (_: DeliveryMessage, seconds: number) => {
        later.push(seconds);
      },
      now: clock.now,
    };
    const stop = () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    };
    return { later, outbound, ports, stop, tries, written };
  }
  const message: DeliveryMessage = {
    version: 1,
    action_id: 'act_event',
    attempt: 1,
    envelope: {
      id: 'e-1',
      event: 'conversation.started',
      timestamp: '2026-03-04T05:06:00Z',
      data: { text: IN_PAYLOADS_ONLY },
      site_id: SITE_ID,
      org_id: ORG_ID,
    },
  };

  test('is written three times before an event is sent, which then waits until its message is visible again', async () => {
    const { outbound, ports, stop, tries, written } = await failingLog(['PutItem']);
    await expect(attemptDelivery(message, 'message-0', ports)).rejects.toThrow();
    expect(tries).toEqual(['PutItem', 'PutItem', 'PutItem']);
    expect(outbound.requests).toEqual([]);
    expect(written.calls).toEqual([]);
    await stop();
  });

  test('is written three times after an event was sent, causes one log line, and no second request', async () => {
    const { later, outbound, ports, stop, tries, written } = await failingLog(['UpdateItem']);
    outbound.outcomes = [answered(503)];
    expect((await attemptDelivery(message, 'message-0', ports)).outcome).toBe('failed');
    expect(tries).toEqual(['PutItem', 'UpdateItem', 'UpdateItem', 'UpdateItem']);
    expect(outbound.requests).toHaveLength(1);
    expect(later).toEqual([2, 60]);
    expect(written.calls).toEqual([expect.objectContaining({ result: expect.objectContaining({ status: 503 }) })]);
    await stop();
  });

  test('neither prevents nor repeats the single request of the other triggers', async () => {
    const { outbound, ports, stop, tries, written } = await failingLog(['PutItem', 'UpdateItem']);
    const form = { body: {}, triggerRef: 'ref', reference: 'ref' };
    const { result } = await attemptOnce(aFormAction(), form, ports);
    expect(result.success).toBe(true);
    expect(outbound.requests).toHaveLength(1);
    expect(tries).toHaveLength(6);
    expect(written.calls.map((call) => call.result?.success)).toEqual([undefined, true]);
    await stop();
  });
});
