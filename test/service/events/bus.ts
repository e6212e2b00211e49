import { createHash, randomUUID } from 'node:crypto';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { eventBridgeClient } from '../../../src/adapters/aws-clients.ts';
import { DELIVERED_EVENTS, EVENT_CATALOG, EVENT_NAMES, type EventName } from '../../../src/contract/events.ts';
import type { BusEvent } from '../../../src/contract/queues.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { until } from '../../harness/until.ts';
import { system } from './system.ts';

/** Tests Event Actions from the bus to the customer's endpoint with the deployed bundles (spec "Events"). */

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function aBusEvent(org: { orgId: string; siteId: string }, event: EventName, id = randomUUID()): BusEvent {
  return {
    id,
    'detail-type': event,
    time: '2026-03-04T05:06:07Z',
    detail: { org_id: org.orgId, site_id: org.siteId, data: { mark: id } },
  };
}

test('delivers each event that fires once, and each reserved event never', async () => {
  const { orgId, siteId } = await system.organization();
  const all = await system.eventAction(siteId, '/all', EVENT_NAMES);
  for (const name of EVENT_NAMES) await system.operator.putEvent({ name, orgId, siteId, data: { of: name } });
  await system.finished(all, DELIVERED_EVENTS.length);
  // The rule does not pass reserved events. The router would not deliver them either.
  const reserved = EVENT_NAMES.filter((name) => EVENT_CATALOG[name].reserved);
  await system.route(...reserved.map((name) => aBusEvent({ orgId, siteId }, name)));
  // What comes after them has arrived.
  const [last = 'message.sent'] = DELIVERED_EVENTS;
  await system.operator.putEvent({ name: last, orgId, siteId, data: { of: last } });
  const records = await system.finished(all, DELIVERED_EVENTS.length + 1);

  const told = system.receiver.to('/all').map(({ headers, body }) => {
    const { event, data } = JSON.parse(body.toString());
    expect([headers['x-service-trigger-ref'], data]).toEqual([event, { of: event }]);
    return event;
  });
  expect(told.sort()).toEqual([...DELIVERED_EVENTS, last].sort());
  expect(records.map(({ trigger_ref }) => trigger_ref).sort()).toEqual(told);
  for (const record of records) expect(record).toMatchObject({ success: true, attempt: 1, sends: 1 });
});

describe('an event near the bus limit', () => {
  test('is delivered to four Actions in full, and recorded in full for each of them', async () => {
    const org = await system.organization();
    const paths = Array.from({ length: 4 }, (_, i) => `/fan-out/${i}`);
    const actions = await Promise.all(paths.map((path) => system.eventAction(org.siteId, path, ['contact.updated'])));
    const rows = Array.from({ length: 13_000 }, (_, i) => ({
      row: i,
      name: `Zoë ${i}`,
      mail: `zoe-${i}@example.com`,
      tag: '🙂',
    }));
    const data = { rows };
    const bytes = Buffer.byteLength(JSON.stringify(data));
    expect(bytes).toBeGreaterThan(900_000);
    await system.operator.putEvent({ name: 'contact.updated', orgId: org.orgId, siteId: org.siteId, data });

    // Reading the records takes longer: each has a megabyte.
    await until(() => paths.every((path) => system.receiver.to(path).length > 0));
    const bodies = paths.flatMap((path) => system.receiver.to(path)).map((request) => request.body);
    expect(new Set(bodies.map(sha256)).size).toBe(1);
    const body = bodies[0]?.toString() ?? '';
    expect(JSON.parse(body).data).toEqual(data);
    for (const [index, action] of actions.entries()) {
      const records = await system.finished(action, 1);
      // On a busy machine an attempt may time out. Every request still has its record.
      const requests = system.receiver.to(paths[index] ?? '').length;
      expect(requests).toBeLessThanOrEqual(records.reduce((sum, { sends }) => sum + sends, 0));
      expect(records.some(({ success }) => success)).toBe(true);
      for (const record of records) {
        expect(record).toMatchObject({ sends: 1, payload_cut: false });
        expect(record.payload === body).toBe(true);
      }
    }
  });
});

test('an event that can reach no Action has one line with its id and wrong field, and its data is in no log', async () => {
  const org = await system.organization();
  const bus = eventBridgeClient(system.service.aws);
  const put = async (DetailType: string, detail: object) => {
    const Detail = JSON.stringify({ org_id: org.orgId, data: { text: 'reaches-nobody' }, ...detail });
    const entry = { EventBusName: system.cloud.outputs[OUTPUTS.eventBus], Source: 'crm', DetailType, Detail };
    const { Entries } = await bus.send(new PutEventsCommand({ Entries: [entry] }));
    return Entries?.[0]?.EventId ?? '';
  };
  const expected = new Map([
    [await put('message.recieved', {}), { event: 'message.recieved', source: 'crm', field: 'detail-type' }],
    [await put('sms.sent', { org_id: 'org_none' }), { level: 'WARN', org_id: 'org_none', field: 'org_id' }],
    // SQS refuses such a group, so the event comes without one.
    [await put('sms.sent', { org_id: 'bad id' }), { event: 'sms.sent' }],
    [await put('sms.sent', { org_id: 'x'.repeat(129) }), { event: 'sms.sent' }],
    [await put('sms.sent', { site_id: org.siteId }), { message: 'No Action is subscribed to an event' }],
  ]);
  const linesOf = (id: string) =>
    system
      .logs()
      .split('\n')
      .filter((line) => line.includes(id));
  for (const [id, line] of expected) {
    await until(() => linesOf(id).length > 0);
    expect(linesOf(id)).toHaveLength(1);
    expect(JSON.parse(linesOf(id)[0] ?? '')).toMatchObject({ event_id: id, ...line });
  }
  const silent = [await put('va-wave.endpoint.failing', {}), await put('form.submitted', {})];
  const last = await put('message.sent', {});
  await until(() => linesOf(last).length > 0);
  expect(silent.map(linesOf)).toEqual([[], []]);
  expect(system.logs()).not.toContain('reaches-nobody');
});
