import type { EventAction } from '../../../../src/contract/actions.ts';
import { CANARY_ORGANIZATION, EVENT_CATALOG, EVENT_NAMES } from '../../../../src/contract/events.ts';
import type { DeliveryMessage } from '../../../../src/contract/queues.ts';
import type { DeliveriesQueue, Subscriptions } from '../../../../src/domain/context.ts';
import { routeMessage } from '../../../../src/domain/events/route-event.ts';
import { anEventAction, ORG_ID, OTHER_SITE_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { attemptFakes, DELIVERY, EVENT } from '../../../fakes/delivery.ts';
import { failing } from '../../../fakes/failing.ts';

const withDetail = (detail: object) => ({ ...EVENT, detail: { ...EVENT.detail, ...detail } });

/** Routes a message of the events queue to these Actions. `changes` replaces parts of the context. */
async function route(
  message: unknown,
  actions: readonly EventAction[] = [],
  changes: Partial<Subscriptions & DeliveriesQueue> = {},
) {
  const { log, invocation } = attemptFakes();
  const sent: DeliveryMessage[] = [];
  const context = {
    deliveryLog: log,
    subscriptions: {
      subscribersOf: async (orgId: string) => ({
        exists: orgId === ORG_ID,
        subscribers: actions.filter((action) => action.org_id === orgId),
        unreadable: [],
      }),
      hasAssistant: async (_: string, siteId: string) => siteId === SITE_ID,
      ...changes,
    },
    queue: {
      send: async (messages: readonly DeliveryMessage[]) => {
        sent.push(...messages);
        return { tooLarge: [] };
      },
      sendLater: failing('not used'),
      ...changes,
    },
  };
  const routing = routeMessage({ message, messageId: 'message-0' }, context, invocation);
  const error: unknown = await routing.catch((thrown: unknown) => thrown);
  const recorded = (await log.all()).map((record) => [record.action_id, record.error?.code]);
  return { sent, recorded, facts: invocation.facts, error };
}
const routed = (deliveries: number, more: object = {}) => ({
  facts: [{ kind: 'event_routed', event_id: EVENT.id, deliveries, ...more }],
});

const away = failing('away');

test('every subscribed Action gets one message with the envelope of the spec', async () => {
  const { sent, facts } = await route(EVENT, [anEventAction(), anEventAction({ action_id: 'act_second' })]);
  expect(sent).toEqual([DELIVERY, { ...DELIVERY, action_id: 'act_second' }]);
  expect(Object.keys(sent[0]?.envelope ?? {})).toEqual(Object.keys(DELIVERY.envelope));
  const ids = { event_id: EVENT.id, event: 'conversation.started', org_id: ORG_ID, site_id: SITE_ID };
  expect(facts).toEqual([{ kind: 'event_routed', ...ids, deliveries: 2 }]);
});

test.each<[string, Partial<EventAction>]>([
  ['a disabled Action', { enabled: false }],
  ['an Action subscribed to something else', { events: ['message.sent'] }],
  ['an Action of another assistant', { site_id: OTHER_SITE_ID }],
  ['an Action of another organization', { org_id: 'org_other' }],
])("an assistant's event does not reach %s", async (_, changes) => {
  expect(await route(EVENT, [anEventAction(changes)])).toMatchObject({ sent: [], recorded: [], ...routed(0) });
});

test.each([null, undefined])(
  'an event whose site is %p reaches the Actions of every assistant, each under its own site',
  async (site_id) => {
    const event = { ...withDetail({ site_id }), 'detail-type': 'contact.created' };
    const { sent } = await route(event, [
      anEventAction({ events: ['contact.created'] }),
      anEventAction({ action_id: 'act_second', site_id: OTHER_SITE_ID, events: ['message.sent', 'contact.created'] }),
      anEventAction({ action_id: 'act_elsewhere', org_id: 'org_other', events: ['contact.created'] }),
      anEventAction({ action_id: 'act_off', enabled: false, events: ['contact.created'] }),
    ]);
    expect(sent.map(({ action_id, envelope }) => [action_id, envelope.site_id])).toEqual([
      ['act_event', SITE_ID],
      ['act_second', OTHER_SITE_ID],
    ]);
  },
);

test.each<[string | undefined, object]>([
  ['org_id', { org_id: 'org_none' }],
  ['site_id', { site_id: 'site_none' }],
  [undefined, { site_id: SITE_ID }],
  [undefined, { site_id: undefined }],
  [undefined, { org_id: CANARY_ORGANIZATION, site_id: undefined }],
])('of an event without a subscriber, the unknown field is %p: %j', async (unknown, detail) => {
  expect(await route(withDetail(detail))).toMatchObject(routed(0, unknown === undefined ? {} : { unknown }));
});

test('every event is delivered unless it is reserved', async () => {
  for (const name of EVENT_NAMES) {
    const { sent } = await route({ ...EVENT, 'detail-type': name }, [anEventAction({ events: [...EVENT_NAMES] })]);
    expect([name, sent.length]).toEqual([name, EVENT_CATALOG[name].reserved ? 0 : 1]);
  }
});

test('data that is nested too deeply is recorded for each subscribed Action, and nothing is sent', async () => {
  const nested = (levels: number) =>
    withDetail({ data: JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) });
  const actions = [anEventAction(), anEventAction({ action_id: 'act_off', enabled: false })];
  for (const levels of [501, 20_000]) {
    const recorded = [['act_event', 'payload_too_large']];
    expect(await route(nested(levels), actions)).toMatchObject({ sent: [], recorded, ...routed(0) });
  }
  expect(await route(nested(500), actions)).toMatchObject(routed(1));
});

test('a message that is too large is recorded and not counted as begun', async () => {
  const actions = [anEventAction(), anEventAction({ action_id: 'act_second' })];
  const send: DeliveriesQueue['send'] = async (messages) => ({ tooLarge: messages.slice(1) });
  const recorded = [['act_second', 'payload_too_large']];
  expect(await route(EVENT, actions, { send })).toMatchObject({ recorded, ...routed(1) });
});

test('an Action whose subscription cannot be read causes an error after the others got their messages', async () => {
  const cause = new Error('Table configuration holds an item that cannot be read');
  const unreadable = [{ action_id: 'act_unreadable', cause }];
  const subscribersOf = async () => ({ exists: true, subscribers: [anEventAction()], unreadable });
  expect(await route(EVENT, [], { subscribersOf })).toMatchObject({
    error: { message: 'The subscription of Action act_unreadable cannot be read', cause },
    sent: [{ action_id: 'act_event', envelope: { site_id: SITE_ID } }],
    facts: [],
  });
});

test('an event is routed although its assistant cannot be looked up', async () => {
  const [unread, ...others] = (await route(EVENT, [], { hasAssistant: away })).facts;
  expect(unread).toEqual({ kind: 'assistant_unreadable', site_id: SITE_ID, cause: new Error('away') });
  expect({ facts: others }).toMatchObject(routed(0));
});

test('an error of the queue fails the event, which is not reported and is delivered again', async () => {
  const failed = await route(EVENT, [anEventAction()], { send: away });
  expect(failed).toMatchObject({ error: new Error('away'), facts: [] });
});

test.each<[string, unknown, string | undefined, string]>([
  ['without data', { ...EVENT, detail: { org_id: ORG_ID } }, EVENT.id, 'detail.data'],
  ['with data that is a list', withDetail({ data: [], version: 1 }), EVENT.id, 'detail.data'],
  ['without an organization', { ...EVENT, detail: { data: {} } }, EVENT.id, 'detail.org_id'],
  // SQS does not accept these as a group.
  ...['', 'o'.repeat(129), 'org one', 'größe'].map((org_id): [string, unknown, string, string] => [
    `of the organization "${org_id}"`,
    withDetail({ org_id }),
    EVENT.id,
    'detail.org_id',
  ]),
  ['whose site is a megabyte', withDetail({ site_id: 's'.repeat(1e6) }), EVENT.id, 'detail.site_id'],
  ['without an id', { ...EVENT, id: '' }, '', 'id'],
  ['with only an unknown name', { id: EVENT.id, 'detail-type': 'message.recieved' }, EVENT.id, 'detail-type'],
  ['whose detail is text', { ...EVENT, detail: 'text' }, EVENT.id, 'detail'],
  ['that is a number', 7, undefined, ''],
  ['with a long id that is text', { id: 'i'.repeat(1e6) }, 'i'.repeat(256), 'detail-type'],
])('an event %s is dropped and reported with its id and wrong field', async (_, body, id, field) => {
  const facts = [expect.objectContaining({ kind: 'event_dropped', message_id: 'message-0', event_id: id, field })];
  expect(await route(body)).toEqual({ sent: [], recorded: [], facts, error: undefined });
});

test.each([
  ['version', withDetail({ data: [], version: 2 })],
  ['name', { ...EVENT, 'detail-type': 'contact.exploded' }],
])('an event with a newer %s is an error and is not dropped', async (_, body) => {
  expect(await route(body)).toMatchObject({ facts: [], error: { message: 'The event is of a newer version' } });
});
