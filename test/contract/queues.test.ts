import { deliveryMessage } from '../../src/contract/queues.ts';
import { DELIVERY } from '../fakes/delivery.ts';

test.each([DELIVERY, { ...DELIVERY, replay: '0123456789ab' }])(
  'a message of the deliveries queue is accepted: %j',
  (message) => {
    expect(deliveryMessage.parse(message)).toEqual(message);
  },
);

test.each<[string, object]>([
  ['of a newer version', { ...DELIVERY, version: 2 }],
  ['of an attempt that was made, without its result', { ...DELIVERY, made: {} }],
  ['of a replay with another name', { ...DELIVERY, replay: 'again' }],
  ['of attempt 0', { ...DELIVERY, attempt: 0 }],
  ['of attempt 4', { ...DELIVERY, attempt: 4 }],
  ['whose envelope is text', { ...DELIVERY, envelope: JSON.stringify(DELIVERY.envelope) }],
])('a message %s is not', (_, message) => {
  expect(deliveryMessage.safeParse(message).success).toBe(false);
});
