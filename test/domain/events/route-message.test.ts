import { routeMessage } from '../../../src/domain/events/route-message.ts';
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
    subscribersOf: async () => ({ subscribers: [anEventAction()], unreadable: [] }),
    send,
    recordNotCarried: async () => {},
    spreadLog: false,
    routed: (event, deliveries) => said.push({ routed: event.id, deliveries }),
    dropped: (messageId) => said.push({ dropped: messageId }),
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
  ['without data', { ...EVENT, detail: { org_id: ORG_ID } }],
  ['without an organization', { ...EVENT, detail: { data: {} } }],
  ['without an id', { ...EVENT, id: '' }],
])('an event %s is dropped and reported with its message id', async (_, body) => {
  expect(await told(body)).toEqual({ said: [{ dropped: 'message-0' }], outcome: 'done' });
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
