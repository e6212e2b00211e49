import { routeMessage } from '../../../src/domain/events/route-event.ts';
import { anEventAction, ORG_ID, SITE_ID } from '../../fakes/configuration.ts';

const EVENT = {
  id: '6a7e8f90-0000-4000-8000-000000000001',
  'detail-type': 'conversation.started',
  time: '2026-03-04T05:06:00Z',
  detail: { org_id: ORG_ID, site_id: SITE_ID, data: {} },
};

async function told(body: unknown, send = async () => ({ tooLarge: [] })) {
  const said: unknown[] = [];
  const routing = routeMessage(body, 'message-0', {
    hasAssistant: async () => true,
    subscribersOf: async () => ({ exists: true, subscribers: [anEventAction()], unreadable: [] }),
    send,
    recordNotCarried: async () => {},
    routed: (event, { deliveries }) => said.push({ routed: event.id, deliveries }),
    dropped: (messageId, { id }, field) => said.push({ dropped: messageId, id, field }),
  });
  const outcome = await routing.then(
    () => 'done',
    (error: unknown) => error,
  );
  return { said, outcome };
}

test('an event is routed and reported with the number of its deliveries', async () => {
  expect(await told(EVENT)).toEqual({ said: [{ routed: EVENT.id, deliveries: 1 }], outcome: 'done' });
});

test.each([
  ['without data', { ...EVENT, detail: { org_id: ORG_ID } }, EVENT.id, 'detail.data'],
  ['without an organization', { ...EVENT, detail: { data: {} } }, EVENT.id, 'detail.org_id'],
  [
    'whose site is a megabyte',
    { ...EVENT, detail: { ...EVENT.detail, site_id: 's'.repeat(1e6) } },
    EVENT.id,
    'detail.site_id',
  ],
  ['without an id', { ...EVENT, id: '' }, '', 'id'],
  [
    'with an unknown name, without its detail',
    { id: EVENT.id, 'detail-type': 'message.recieved' },
    EVENT.id,
    'detail-type',
  ],
  ['that is a number', 7, undefined, ''],
  ['with a long id that is text', { id: 'i'.repeat(1e6) }, 'i'.repeat(256), 'detail-type'],
])('an event %s is dropped and reported with its id and wrong field', async (_, body, id, field) => {
  expect(await told(body)).toEqual({ said: [{ dropped: 'message-0', id, field }], outcome: 'done' });
});

test.each([
  ['version', { ...EVENT, detail: { ...EVENT.detail, version: 2 } }],
  ['name', { ...EVENT, 'detail-type': 'contact.exploded' }],
])('an event with a newer %s is an error and is not dropped', async (_, body) => {
  expect(await told(body)).toEqual({ said: [], outcome: new Error('The event is of a newer version') });
});

test('an event that could not be routed is an error and is not reported', async () => {
  const away = new Error('The queue is away');
  expect(await told(EVENT, () => Promise.reject(away))).toEqual({ said: [], outcome: away });
});
