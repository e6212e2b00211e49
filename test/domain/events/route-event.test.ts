import type { EventAction } from '../../../src/contract/actions.ts';
import { CANARY_ORGANIZATION, DELIVERED_EVENTS, EVENT_CATALOG, EVENT_NAMES } from '../../../src/contract/events.ts';
import type { BusEvent, DeliveryMessage, NotCarried } from '../../../src/contract/queues.ts';
import { type RouteEventPorts, routeEvent } from '../../../src/domain/events/route-event.ts';
import { anEventAction, ORG_ID, OTHER_SITE_ID, SITE_ID } from '../../fakes/configuration.ts';

const EVENT: BusEvent = {
  id: '6a7e8f90-0000-4000-8000-000000000001',
  'detail-type': 'conversation.started',
  time: '2026-03-04T05:06:00Z',
  detail: { org_id: ORG_ID, site_id: SITE_ID, data: { conversation_id: 'c-1' } },
};

function organizationLevel(): BusEvent {
  const { site_id: _, ...detail } = EVENT.detail;
  return { ...EVENT, 'detail-type': 'contact.created', detail };
}

/** Routes an event to these Actions. `changes` replaces ports. */
async function route(event: BusEvent, actions: readonly EventAction[], changes: Partial<RouteEventPorts> = {}) {
  const sent: DeliveryMessage[] = [];
  const recorded: [actionId: string, why: NotCarried][] = [];
  const ports: RouteEventPorts = {
    subscribersOf: async (orgId) => ({
      exists: orgId === ORG_ID,
      subscribers: actions.filter((action) => action.org_id === orgId),
      unreadable: [],
    }),
    hasAssistant: async (_, siteId) => siteId === SITE_ID,
    send: async (messages) => {
      sent.push(...messages);
      return { tooLarge: [] };
    },
    recordNotCarried: async ({ action_id }, why) => {
      recorded.push([action_id, why]);
    },
    ...changes,
  };
  const routing = await routeEvent(event, ports).catch((error: unknown) => ({ error }));
  return { sent, recorded, ...routing };
}

test('a subscribed Action gets one message with the envelope of the spec', async () => {
  const routed = await route(EVENT, [anEventAction()]);
  expect(routed).toMatchObject({ deliveries: 1 });
  const { sent } = routed;
  expect(sent).toEqual([
    {
      version: 1,
      action_id: 'act_event',
      attempt: 1,
      envelope: {
        id: EVENT.id,
        event: 'conversation.started',
        timestamp: EVENT.time,
        data: { conversation_id: 'c-1' },
        site_id: SITE_ID,
        org_id: ORG_ID,
      },
    },
  ]);
  expect(Object.keys(sent[0]?.envelope ?? {})).toEqual(['id', 'event', 'timestamp', 'data', 'site_id', 'org_id']);
});

test('every subscribed Action gets one message with the same id and timestamp', async () => {
  const { sent } = await route(EVENT, [anEventAction(), anEventAction({ action_id: 'act_second' })]);
  expect(sent.map((message) => message.action_id)).toEqual(['act_event', 'act_second']);
  expect(new Set(sent.map((message) => JSON.stringify(message.envelope))).size).toBe(1);
});

test.each<[string, readonly EventAction[]]>([
  ['a disabled Action', [anEventAction({ enabled: false })]],
  ['an Action subscribed to something else', [anEventAction({ events: ['message.sent'] })]],
  ['an Action of another assistant', [anEventAction({ site_id: OTHER_SITE_ID })]],
  ['an Action of another organization', [anEventAction({ org_id: 'org_other' })]],
  ['an organization without Actions', []],
])("an assistant's event does not reach %s", async (_, actions) => {
  expect(await route(EVENT, actions)).toEqual({ deliveries: 0, sent: [], recorded: [] });
});

test.each<[string | undefined, object]>([
  ['org_id', { org_id: 'org_none' }],
  ['site_id', { site_id: 'site_none' }],
  [undefined, { site_id: SITE_ID }],
  [undefined, { site_id: undefined }],
  [undefined, { org_id: CANARY_ORGANIZATION, site_id: undefined }],
])('of an event without a subscriber, the unknown field is %p: %j', async (unknown, detail) => {
  const event = { ...EVENT, detail: { ...EVENT.detail, ...detail } };
  expect(await route(event, [])).toEqual({ deliveries: 0, sent: [], recorded: [], unknown });
});

test.each([null, undefined])(
  'an event whose site is %p reaches the Actions of every assistant, each under its own site',
  async (siteId) => {
    const base = organizationLevel();
    const event = { ...base, detail: { ...base.detail, site_id: siteId } };
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

test('data that is nested too deeply is recorded for each subscribed Action, and nothing is sent', async () => {
  const nested = (levels: number): BusEvent => {
    const data = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    return { ...EVENT, detail: { ...EVENT.detail, data } };
  };
  const actions = [
    anEventAction(),
    anEventAction({ action_id: 'act_second' }),
    anEventAction({ action_id: 'act_off', enabled: false }),
  ];
  for (const levels of [501, 20_000]) {
    expect(await route(nested(levels), actions)).toEqual({
      deliveries: 0,
      sent: [],
      recorded: [
        ['act_event', 'too_deep'],
        ['act_second', 'too_deep'],
      ],
    });
  }
  expect(await route(nested(500), actions)).toMatchObject({ deliveries: 2 });
});

test('a message that is too large is recorded and not counted as begun', async () => {
  const actions = [anEventAction(), anEventAction({ action_id: 'act_second' })];
  const send: RouteEventPorts['send'] = async (messages) => ({ tooLarge: messages.slice(1) });
  expect(await route(EVENT, actions, { send })).toMatchObject({
    deliveries: 1,
    recorded: [['act_second', 'too_large']],
  });
});

test('an Action whose subscription cannot be read causes an error after the others got their messages', async () => {
  const cause = new Error('Table configuration holds an item that cannot be read');
  const subscribersOf: RouteEventPorts['subscribersOf'] = async () => ({
    exists: true,
    subscribers: [anEventAction()],
    unreadable: [{ action_id: 'act_unreadable', cause }],
  });
  expect(await route(EVENT, [], { subscribersOf })).toMatchObject({
    error: { message: 'The subscription of Action act_unreadable cannot be read', cause },
    sent: [{ action_id: 'act_event', envelope: { site_id: SITE_ID } }],
  });
});

const away = async () => {
  throw new Error('away');
};

test('an event is routed although its assistant cannot be looked up', async () => {
  expect(await route(EVENT, [], { hasAssistant: away })).toEqual({ deliveries: 0, sent: [], recorded: [] });
});

test('an error of the queue fails the event, so that it is delivered again', async () => {
  expect(await route(EVENT, [anEventAction()], { send: away })).toMatchObject({ error: new Error('away') });
});

test.each(EVENT_NAMES)('%s is delivered unless it is reserved', async (name) => {
  const routed = await route({ ...EVENT, 'detail-type': name }, [anEventAction({ events: [...EVENT_NAMES] })]);
  expect(routed).toMatchObject({ deliveries: EVENT_CATALOG[name].reserved ? 0 : 1 });
});

test('five names are reserved and 22 fire', () => {
  expect(DELIVERED_EVENTS).toHaveLength(22);
  expect(EVENT_NAMES.filter((name) => !DELIVERED_EVENTS.includes(name)).sort()).toEqual([
    'call.completed',
    'campaign.contact.completed',
    'campaign.paused',
    'email.sent',
    'form.submitted',
  ]);
});
