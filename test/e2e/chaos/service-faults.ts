import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { errorBody } from '../../fakes/error-body.ts';
import { IN_PAYLOADS_ONLY } from '../../harness/logs/leaks.ts';
import { httpEvent, lambdaContext, logged, sqsEvent } from '../../lambdas/invocation.ts';
import { type Chaos, type HttpFunction, type QueueFunction, startChaos } from './chaos-system.ts';
import { type Fault, SERVICES } from './faulty-services.ts';

/** Makes each service fail in turn with these faults, and checks the answers, the limits and where the events are. */
export function describeServiceFaults(faults: readonly Fault[]): void {
  let chaos: Chaos;
  let visitors = 0;
  beforeAll(async () => {
    chaos = await startChaos();
  });
  afterEach(() => chaos.services.mend());
  afterAll(() => chaos.stop());

  const sessionRequest = (sourceIp = `10.0.${(visitors >> 8) & 255}.${visitors++ & 255}`) => ({
    headers: { 'x-server-key': chaos.serverSecret },
    body: { user_id: 'user-1' },
    sourceIp,
  });
  const initRequest = () => ({
    headers: { 'x-site-id': chaos.siteId, origin: 'https://shop.example.com' },
    sourceIp: '198.51.100.7',
  });
  const cases = SERVICES.flatMap((service) => faults.map((fault) => [service, fault] as const));

  test.each(cases)(
    'while %s is %s, requests succeed or get a 500 with a request id, and they succeed again afterwards',
    async (service, fault) => {
      const create = await chaos.container<HttpFunction>('session-create');
      const init = await chaos.container<HttpFunction>('widget-init');
      chaos.services.fail(service, fault);
      const during = [...(await answers(create, sessionRequest())), ...(await answers(init, initRequest()))];
      for (const answer of during) {
        if (answer.status === 200) continue;
        expect(answer).toMatchObject({
          status: 500,
          headers: { 'x-request-id': expect.any(String) },
          body: errorBody('Internal error'),
        });
      }
      // Both functions read DynamoDB on every request, so they answer 500.
      if (service === 'DynamoDB') expect(during.map(({ status }) => status)).toEqual([500, 500]);
      chaos.services.mend();
      expect(await answers(create, sessionRequest())).toMatchObject([{ status: 200 }]);
      expect(await answers(init, initRequest())).toMatchObject([{ status: 200 }]);
    },
  );

  test.each(faults)(
    'while DynamoDB is %s, session create refuses because it cannot count, and its limit is exact afterwards',
    async (fault) => {
      const create = await chaos.container<HttpFunction>('session-create');
      const address = `192.0.2.${visitors++}`;
      const forty = () => answers(create, ...Array.from({ length: 40 }, () => sessionRequest(address)));
      expect(await answers(create, sessionRequest(address))).toMatchObject([{ status: 200 }]);
      chaos.services.fail('DynamoDB', fault);
      expect(new Set((await forty()).map(({ status }) => status))).toEqual(new Set([500]));
      chaos.services.mend();
      const statuses = (await forty()).map(({ status }) => status);
      // The counter may include calls whose answers were lost. It never includes fewer calls than it allowed.
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(19);
      expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    },
  );

  // EventBridge is left out: no event passes the bus between the events queue and the endpoint.
  test.each(cases.filter(([service]) => service !== 'EventBridge'))(
    'after %s was %s, every event is delivered under one id and recorded',
    async (service, fault) => {
      const path = `/${service}-${fault}`;
      const action = await chaos.createAction({
        trigger: 'Event',
        name: path,
        url: chaos.receiver.url(path),
        events: ['message.sent'],
      });
      const router = await chaos.container<QueueFunction>('event-router');
      const dispatcher = await chaos.container<QueueFunction>('dispatcher');
      const events = Array.from({ length: 10 }, () => ({
        id: randomUUID(),
        'detail-type': 'message.sent',
        time: new Date().toISOString(),
        detail: { org_id: chaos.orgId, site_id: chaos.siteId, data: { path, text: IN_PAYLOADS_ONLY } },
      }));
      const ours = () =>
        chaos.services.deliveries.filter(({ body }) => JSON.parse(body).action_id === action.action_id);

      chaos.services.fail(service, fault);
      const left = await consume(
        router,
        events.map((event, index) => ({ id: `event-${index}`, body: JSON.stringify(event) })),
      );
      chaos.services.mend();
      expect(await consume(router, left)).toEqual([]);
      const queued = ours();
      expect(new Set(queued.map(({ body }) => JSON.parse(body).envelope.id))).toEqual(
        new Set(events.map(({ id }) => id)),
      );

      chaos.services.fail(service, fault);
      const undelivered = await consume(dispatcher, queued);
      // A claimed attempt counts as in progress for 20 seconds, so the test delivers only unclaimed messages again.
      const before = await recordsWhenMended(chaos, action.action_id);
      const cutOff = new Set(before.filter(({ state }) => state === 'started').map(({ reference }) => reference));
      const again = undelivered.filter(({ body }) => !cutOff.has(JSON.parse(body).envelope.id));
      expect(await consume(dispatcher, again)).toEqual([]);

      const requests = chaos.receiver.to(path).map(({ body }) => JSON.parse(body.toString()).id);
      expect(new Set([...requests, ...cutOff])).toEqual(new Set(events.map(({ id }) => id)));
      const records = await chaos.records(action.action_id);
      expect(new Set(records.map(({ reference }) => reference))).toEqual(new Set(events.map(({ id }) => id)));
      chaos.services.deliveries.length = 0;
    },
  );
}

async function recordsWhenMended(chaos: Chaos, actionId: string) {
  chaos.services.mend();
  return chaos.records(actionId);
}

/** Sends several concurrent requests to one container. */
async function answers(handler: HttpFunction, ...requests: readonly Parameters<typeof httpEvent>[0][]) {
  const work = () => Promise.all(requests.map((request) => handler(httpEvent(request), lambdaContext())));
  const { result } = await logged(work);
  return result.map(({ statusCode, headers, body }) => ({
    status: statusCode,
    headers,
    body: JSON.parse(body ?? '{}'),
  }));
}

type Message = { readonly id: string; readonly body: string };

/** Invokes a function with messages in batches of ten. @returns the messages that it reports as failed */
export async function consume(handler: QueueFunction, messages: readonly Message[]): Promise<readonly Message[]> {
  const left: Message[] = [];
  for (let start = 0; start < messages.length; start += 10) {
    const batch = messages.slice(start, start + 10);
    const event = sqsEvent(...batch.map(({ body }) => body));
    event.Records.forEach((record, index) => {
      record.messageId = batch[index]?.id ?? '';
    });
    // The router's timeout. middy ends a handler shortly before it.
    const context: Context = { ...lambdaContext(), getRemainingTimeInMillis: () => 25_000 };
    const { result } = await logged(() => handler(event, context));
    const failed = new Set(result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    left.push(...batch.filter(({ id }) => failed.has(id)));
  }
  return left;
}
