import { busEvent, deliveryMessage, isNewerEvent } from '../../src/contract/queues.ts';

const EVENT = {
  version: '0',
  id: 'e-1',
  'detail-type': 'contact.created',
  source: 'crm',
  account: '123456789012',
  time: '2026-03-04T05:06:00Z',
  region: 'eu-central-1',
  resources: [],
  detail: { org_id: 'org_1', data: { nested: { a: [1, null] } } },
};
const MESSAGE = {
  version: 1,
  action_id: 'act_1',
  attempt: 1,
  envelope: {
    id: 'e-1',
    event: 'contact.created',
    timestamp: '2026-03-04T05:06:00Z',
    data: {},
    site_id: 's',
    org_id: 'o',
  },
};

describe('an event on the bus', () => {
  test.each([
    ['with a site', { ...EVENT, detail: { ...EVENT.detail, site_id: 'site_1' } }],
    ['without a site', EVENT],
    ['with a site that is null', { ...EVENT, detail: { ...EVENT.detail, site_id: null } }],
  ])('%s is accepted with its data unchanged', (_, event) => {
    expect(busEvent.parse(event).detail).toEqual(event.detail);
  });

  test.each<[string, object]>([
    ['without an organization', { ...EVENT, detail: { data: {} } }],
    ['without data', { ...EVENT, detail: { org_id: 'org_1' } }],
    ['with data that is a list', { ...EVENT, detail: { org_id: 'org_1', data: [] } }],
    ...['', 'o'.repeat(129), 'org one', 'größe'].map((org_id): [string, object] => [
      `of ${org_id}, which SQS does not accept as a group`,
      { ...EVENT, detail: { ...EVENT.detail, org_id } },
    ]),
    ['with an empty site', { ...EVENT, detail: { ...EVENT.detail, site_id: '' } }],
    ['outside the catalog', { ...EVENT, 'detail-type': 'contact.exploded' }],
  ])('%s is not', (_, event) => {
    expect(busEvent.safeParse(event).success).toBe(false);
  });
});

describe('an event that this version cannot read', () => {
  const detail = { ...EVENT.detail, data: [] };
  test.each<[string, unknown, boolean]>([
    ['with a name that the catalog does not have', { ...EVENT, 'detail-type': 'contact.exploded' }, true],
    ['of a newer version', { ...EVENT, detail: { ...detail, version: 2 } }, true],
    ['of this version, malformed', { ...EVENT, detail: { ...detail, version: 1 } }, false],
    ['without a version, malformed', { ...EVENT, detail }, false],
    ['without a detail', { ...EVENT, detail: 'text' }, false],
    ['that is not an object', 'text', false],
  ])('%s: newer? %p %p', (_, event, newer) => {
    expect(busEvent.safeParse(event).success).toBe(false);
    expect(isNewerEvent(event)).toBe(newer);
  });
});

describe('a message of the deliveries queue', () => {
  test.each([MESSAGE, { ...MESSAGE, replay: '0123456789ab' }])('is accepted: %j', (message) => {
    expect(deliveryMessage.parse(message)).toEqual(message);
  });

  test.each<[string, object]>([
    ['of a newer version', { ...MESSAGE, version: 2 }],
    ['of an attempt that was made, without its result', { ...MESSAGE, made: {} }],
    ['of a replay with another name', { ...MESSAGE, replay: 'again' }],
    ['of attempt 0', { ...MESSAGE, attempt: 0 }],
    ['of attempt 4', { ...MESSAGE, attempt: 4 }],
    ['whose envelope is text', { ...MESSAGE, envelope: JSON.stringify(MESSAGE.envelope) }],
  ])('%s is not', (_, message) => {
    expect(deliveryMessage.safeParse(message).success).toBe(false);
  });
});
