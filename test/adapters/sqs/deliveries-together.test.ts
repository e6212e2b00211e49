import { deliveriesTogether } from '../../../src/adapters/sqs/deliveries-together.ts';
import type { DeliveryMessage } from '../../../src/contract/queues.ts';

const of = (action_id: string): readonly DeliveryMessage[] => [
  {
    version: 1,
    action_id,
    attempt: 1,
    envelope: {
      id: 'event-1',
      event: 'test.ping',
      timestamp: '2026-03-04T05:06:00Z',
      data: {},
      site_id: 's',
      org_id: 'o',
    },
  },
];

type Events = readonly (readonly DeliveryMessage[])[];

function together(
  outcome: (messages: readonly DeliveryMessage[]) => PromiseSettledResult<{ tooLarge: DeliveryMessage[] }> = () => ({
    status: 'fulfilled',
    value: { tooLarge: [] },
  }),
) {
  const sent: string[][] = [];
  const deliveries = deliveriesTogether({
    sendTogether: async (events: Events) => {
      sent.push(events.flat().map((one) => one.action_id));
      return events.map(outcome);
    },
  });
  return { sent, ...deliveries };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('deliveries are sent when the last announced event has called send', async () => {
  const { sent, announce, send } = together();
  announce(3);
  const first = [send(of('a')), send(of('b'))];
  await turn();
  expect(sent).toEqual([]);
  await Promise.all([...first, send(of('c'))]);
  expect(sent).toEqual([['a', 'b', 'c']]);
});

test('an event that ends without deliveries does not delay the others', async () => {
  const { sent, announce, send, ended } = together();
  announce(2);
  const asked = send(of('a'));
  await turn();
  expect(sent).toEqual([]);
  ended();
  await asked;
  expect(sent).toEqual([['a']]);
});

test('a slow event delays the others for a short time only and is sent alone', async () => {
  const { sent, announce, send, ended } = together();
  announce(2);
  await send(of('quick')).finally(ended);
  expect(sent).toEqual([['quick']]);
  await send(of('slow')).finally(ended);
  expect(sent).toEqual([['quick'], ['slow']]);
});

test('the next invocation starts with its own count', async () => {
  const { sent, announce, send, ended } = together();
  for (const invocation of [1, 2, 3]) {
    announce(2);
    await Promise.all(['a', 'b'].map((name) => send(of(`${name}${invocation}`)).finally(ended)));
  }
  expect(sent).toEqual([
    ['a1', 'b1'],
    ['a2', 'b2'],
    ['a3', 'b3'],
  ]);
});

test('each event gets the result of its own messages', async () => {
  const away = new Error('away');
  const [bad, large] = [of('bad'), of('large')];
  const { announce, send } = together((messages) => {
    if (messages === bad) return { status: 'rejected', reason: away };
    return { status: 'fulfilled', value: { tooLarge: messages === large ? [...large] : [] } };
  });
  announce(3);
  expect(await Promise.allSettled([send(of('good')), send(bad), send(large)])).toEqual([
    { status: 'fulfilled', value: { tooLarge: [] } },
    { status: 'rejected', reason: away },
    { status: 'fulfilled', value: { tooLarge: large } },
  ]);
});
