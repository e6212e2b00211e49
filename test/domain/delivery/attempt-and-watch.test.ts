import { type AttemptAndWatchPorts, attemptAndWatch } from '../../../src/domain/delivery/attempt-and-watch.ts';
import { anEventAction } from '../../fakes/configuration.ts';
import { answered, attemptFakes, DELIVERY } from '../../fakes/delivery.ts';

function setUp(changes: Partial<AttemptAndWatchPorts> = {}) {
  const { outbound, ports: attempting } = attemptFakes();
  const attempted: [attempt: number, outcome: string, status: number | null | undefined][] = [];
  const noted: string[] = [];
  const notWatched: unknown[] = [];
  const ports: AttemptAndWatchPorts = {
    ...attempting,
    findAction: async () => anEventAction(),
    sendLater: async () => undefined,
    recordFailure: async (actionId) => {
      noted.push(actionId);
      return { since: Number.MAX_SAFE_INTEGER, signalled_at: null };
    },
    hasSucceeded: async () => false,
    replacePeriod: async () => true,
    signal: async () => undefined,
    attempted: ({ attempt }, { outcome, result }) => attempted.push([attempt, outcome, result?.status]),
    watchFailed: (cause) => notWatched.push(cause),
    ...changes,
  };
  const work = () => attemptAndWatch({ ...DELIVERY, attempt: 3 }, 'message-1', ports);
  return { outbound, attempted, noted, notWatched, work };
}

const away = async () => {
  throw new Error('The table is away');
};

test('an attempt is reported, and the failure of its delivery is recorded', async () => {
  const { work, outbound, attempted, noted } = setUp();
  outbound.outcomes = [answered(500)];
  await work();
  expect([attempted, noted]).toEqual([[[3, 'failed', 500]], ['act_event']]);
});

test('a success records no failure', async () => {
  const { work, attempted, noted } = setUp();
  await work();
  expect([attempted, noted]).toEqual([[[3, 'succeeded', 200]], []]);
});

test('a message without an attempt is reported, and its endpoint is not checked', async () => {
  const { work, attempted, noted } = setUp({ findAction: async () => undefined });
  await work();
  expect([attempted, noted]).toEqual([[[3, 'unsent', undefined]], []]);
});

test('a failed endpoint check is reported, and the message is not delivered again', async () => {
  const { work, outbound, attempted, notWatched } = setUp({ recordFailure: away });
  outbound.outcomes = [answered(500)];
  await work();
  expect([attempted, notWatched]).toEqual([[[3, 'failed', 500]], [new Error('The table is away')]]);
});

test('a message that cannot be handled is delivered again and not reported', async () => {
  const { work, outbound, attempted } = setUp({ findAction: away });
  await expect(work()).rejects.toThrow('The table is away');
  expect([outbound.requests, attempted]).toEqual([[], []]);
});
