import {
  activeKey,
  isRotationDue,
  type KeyRing,
  RING_CACHE_SECONDS,
  rotateRing,
  TURN_MAX_SECONDS,
} from '../../../src/domain/auth/key-ring.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';

const FIRST: KeyRing = [{ kid: 'k1', key: '1'.repeat(64) }];
const seconds = (clock: FrozenClock) => clock.now().getTime() / 1000;

test('a rotation adds a key that signs once every container has read it', () => {
  const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
  const ring = rotateRing(FIRST, clock.now(), countingBytes());
  expect(ring).toEqual([
    {
      kid: expect.stringMatching(/^[A-Za-z0-9_-]{12}$/),
      key: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
      active_from: seconds(clock) + RING_CACHE_SECONDS,
    },
    ...FIRST,
  ]);
  clock.advance(RING_CACHE_SECONDS * 1000 - 1);
  expect(activeKey(ring, clock.now()).kid).toBe('k1');
  clock.advance(1);
  expect(activeKey(ring, clock.now()).kid).toBe(ring[0].kid);
});

test('a key is kept while a container may still accept a token that it signed', () => {
  const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
  const random = countingBytes();
  let ring = rotateRing(FIRST, clock.now(), random);
  // It signs last when its successor becomes active. It can be removed one token lifetime, one turn and one ring cache time later.
  const lastUse = RING_CACHE_SECONDS + 3600 + TURN_MAX_SECONDS + RING_CACHE_SECONDS;
  clock.advance((lastUse - 1) * 1000);
  ring = rotateRing(ring, clock.now(), random);
  expect(ring.map((key) => key.kid)).toContain('k1');
  clock.advance(1000);
  ring = rotateRing(ring, clock.now(), random);
  expect(ring.map((key) => key.kid)).not.toContain('k1');
});

test.each([
  [undefined, true],
  [0, false],
  [6.9, false],
  [7, true],
])('a newest key of %p days is due for rotation: %p', (days, due) => {
  const clock = new FrozenClock();
  const active_from = days === undefined ? undefined : Math.floor(seconds(clock) - days * 86_400);
  expect(isRotationDue([{ ...FIRST[0], active_from }], clock.now())).toBe(due);
});
