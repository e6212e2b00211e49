import { matchesPattern, requireKnownPattern } from '../../local/cloud/engines/event-pattern.ts';
import { intervalOf } from '../../local/cloud/engines/scheduler.ts';
import type { JsonObject } from '../../local/cloud/json.ts';

const event: JsonObject = {
  source: 'shop',
  'detail-type': 'order.placed',
  resources: ['arn:a', 'arn:b'],
  detail: {
    status: 'Paid',
    amount: 20,
    tags: ['x', 'y'],
    customer: { id: 'c1' },
    note: null,
    lines: [{ sku: 'a' }, { sku: 'b' }],
  },
};

test.each<[JsonObject, boolean]>([
  [{ source: ['shop'] }, true],
  [{ source: ['other', 'shop'], 'detail-type': ['order.placed'] }, true],
  [{ source: ['shop'], 'detail-type': ['order.cancelled'] }, false],
  [{ source: ['Shop'] }, false],
  [{ resources: ['arn:b'] }, true],
  [{ detail: { customer: { id: ['c1'] } } }, true],
  [{ detail: { customer: { name: ['c1'] } } }, false],
  [{ detail: { tags: ['y'] } }, true],
  [{ detail: { lines: { sku: ['b'] } } }, true],
  [{ detail: { note: [null] } }, true],
  [{ detail: { amount: [20] } }, true],
  [{ detail: { amount: ['20'] } }, false],
  [{ 'detail-type': [{ prefix: 'order.' }] }, true],
  [{ 'detail-type': [{ prefix: 'placed' }] }, false],
  [{ 'detail-type': [{ suffix: '.placed' }] }, true],
  [{ 'detail-type': [{ wildcard: 'order.*d' }] }, true],
  [{ detail: { status: [{ 'equals-ignore-case': 'paid' }] } }, true],
  [{ detail: { status: [{ 'anything-but': ['Open', 'Shipped'] }] } }, true],
  [{ detail: { status: [{ 'anything-but': 'Paid' }] } }, false],
  [{ detail: { status: [{ 'anything-but': { prefix: 'Pa' } }] } }, false],
  [{ detail: { missing: [{ 'anything-but': 'x' }] } }, false],
  [{ detail: { missing: [{ exists: false }] } }, true],
  [{ detail: { status: [{ exists: false }] } }, false],
  [{ detail: { note: [{ exists: true }] } }, true],
  [{ detail: { amount: [{ numeric: ['>', 0, '<=', 20] }] } }, true],
  [{ detail: { amount: [{ numeric: ['>', 20] }] } }, false],
  [{ detail: { status: [{ numeric: ['=', 0] }] } }, false],
  [{ detail: { status: ['Open', { prefix: 'Pa' }] } }, true],
])('%j', (pattern, expected) => {
  expect(() => requireKnownPattern(pattern)).not.toThrow();
  expect(matchesPattern(pattern, event)).toBe(expected);
});

test.each<[JsonObject]>([
  [{ source: 'shop' }],
  [{ $or: [{ source: ['a'] }] }],
  [{ detail: { ip: [{ cidr: '10.0.0.0/8' }] } }],
  [{ detail: { amount: [{ numeric: ['>'] }] } }],
  [{ detail: { status: [{ prefix: 'a', suffix: 'b' }] } }],
  [{ detail: { status: [{ prefix: { 'equals-ignore-case': 'a' } }] } }],
])('%j is not known and stops the start', (pattern) => {
  expect(() => requireKnownPattern(pattern)).toThrow('does not know the event pattern');
});

test('schedules are rates', () => {
  expect(['rate(1 minute)', 'rate(2 hours)', 'rate(7 days)'].map(intervalOf)).toEqual([60_000, 7_200_000, 604_800_000]);
  for (const other of ['cron(0 12 * * ? *)', 'rate(0 days)', 'rate(1 week)']) {
    expect(() => intervalOf(other)).toThrow('does not know the schedule');
  }
});
