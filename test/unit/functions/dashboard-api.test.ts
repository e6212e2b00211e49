import * as z from 'zod';
import { DASHBOARD_SCHEMAS } from '../../../src/contract/dashboard.ts';
import {
  DASHBOARD_OPERATION_NAMES,
  DASHBOARD_OPERATIONS,
  type Operation,
} from '../../../src/contract/dashboard-operations.ts';
import { AUDIT_PER_PAGE } from '../../../src/contract/limits.ts';
import {
  aFormAction,
  anAssistant,
  anEventAction,
  OPERATOR_AUTHOR,
  ORG_ID,
  SITE_ID,
} from '../../fakes/configuration.ts';
import { CONFIGURATION } from '../../fakes/configuration-store.ts';
import { dashboardApi, OTHER_ORG_ID } from './dashboard-api.ts';

const ORG = `/organizations/${ORG_ID}`;
const OTHER = `/organizations/${OTHER_ORG_ID}`;
const SITE = `${ORG}/assistants/${SITE_ID}`;

const settings = { name: 'Shop', hourly_rate_limit: 100 };
const eventAction = {
  trigger: 'Event',
  name: 'Tell the CRM',
  url: 'https://crm.example/events',
  events: ['conversation.started'],
};

async function withAssistant(changes: Parameters<typeof anAssistant>[0] = {}) {
  const api = await dashboardApi();
  await api.store.createAssistant(anAssistant(changes), 100, OPERATOR_AUTHOR);
  return api;
}

describe('access', () => {
  test('a request without a verified token is refused', async () => {
    const { status, body } = await (await dashboardApi()).call(undefined, 'GET', '/me');
    expect([status, body.success]).toEqual([401, false]);
  });

  test('me returns the organizations of the user and the role in each', async () => {
    const { body } = await (await dashboardApi()).call('max', 'GET', '/me');
    expect(body).toEqual({
      sub: 'max',
      organizations: [
        {
          org_id: ORG_ID,
          name: `Name of ${ORG_ID}`,
          plan: 'paid',
          role: 'member',
          email: 'max@shop.example',
          assistant_limit: 100,
          suspended: false,
        },
      ],
      unreadable: [],
    });
  });

  test('a user without a membership has no organization and can read none', async () => {
    const { call } = await dashboardApi();
    expect((await call('stranger', 'GET', '/me')).body.organizations).toEqual([]);
    expect((await call('stranger', 'GET', `${ORG}/assistants`)).status).toBe(404);
  });

  test('members read', async () => {
    const { call } = await withAssistant();
    for (const path of [`${ORG}/assistants`, `${ORG}/members`, SITE, `${ORG}/actions`, `${SITE}/installation`]) {
      expect((await call('max', 'GET', path)).status).toBe(200);
    }
  });

  test.each(DASHBOARD_OPERATION_NAMES)('%s is refused to everybody who lacks its role', async (operation) => {
    const { call, store } = await withAssistant();
    await store.createAction(anEventAction(), OPERATOR_AUTHOR);
    const { method, path, role }: Operation = DASHBOARD_OPERATIONS[operation];
    const ids = { org_id: ORG_ID, site_id: SITE_ID, action_id: 'act_event' };
    const ownPath = Object.entries(ids).reduce((rest, [name, id]) => rest.replace(`{${name}}`, id), path);
    const refusalOf = async (sub: string) => {
      const { status, body } = await call(sub, method, ownPath, method === 'GET' ? undefined : {});
      return { status, ...body };
    };
    expect((await refusalOf('stranger')).code === 'organization_not_found').toBe(role !== 'user');
    const adminRequired = {
      status: 403,
      success: false,
      code: 'admin_required',
      error: 'Only admins of the organization may do this',
    };
    const ofMember = await refusalOf('max');
    if (role === 'admin') expect(ofMember).toEqual(adminRequired);
    else expect(ofMember).not.toEqual(adminRequired);
  });

  test('a removed role is refused with the next request', async () => {
    const { call, store } = await withAssistant();
    expect((await call('anna', 'GET', SITE)).status).toBe(200);
    await store.members.remove(ORG_ID, 'anna');
    expect((await call('anna', 'GET', '/me')).body.organizations).toEqual([]);
    expect((await call('anna', 'GET', SITE)).status).toBe(404);
  });

  test('ids of another organization are not found under either organization', async () => {
    const { call, store } = await withAssistant();
    await store.createAction(anEventAction(), OPERATOR_AUTHOR);
    const change = { version: 1, change: {} };
    const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', SITE],
      ['GET', `${ORG}/members`],
      ['GET', `${ORG}/audit`],
      ['GET', `${OTHER}/assistants/${SITE_ID}`],
      ['PATCH', `${OTHER}/assistants/${SITE_ID}`, change],
      ['POST', `${OTHER}/assistants/${SITE_ID}/actions`, { idempotency_key: 'k', action: eventAction }],
      ['POST', `${OTHER}/assistants/${SITE_ID}/server-secret`, { version: 1 }],
      ['GET', `${OTHER}/actions/act_event`],
      ['PATCH', `${OTHER}/actions/act_event`, change],
      ['DELETE', `${OTHER}/actions/act_event?version=1`],
      ['POST', `${OTHER}/actions/act_event/test`, {}],
    ];
    for (const [method, path, body] of requests) {
      expect([path, (await call('olga', method, path, body)).status]).toEqual([path, 404]);
    }
    expect((await store.findAssistant(SITE_ID))?.version).toBe(1);
    expect((await store.findActionById('act_event'))?.version).toBe(1);
  });

  test.each<[string, string, string, object | undefined, string | undefined]>([
    ['anna', 'PATCH', SITE, { version: 1, change: { name: '' } }, SITE_ID],
    ['anna', 'PATCH', `${ORG}/actions/act_event`, { version: 1, change: { name: '' } }, SITE_ID],
    // Nobody has found an assistant here.
    ['anna', 'GET', `${ORG}/assistants/site_unknown`, undefined, undefined],
    ['max', 'PATCH', SITE, {}, undefined],
    ['olga', 'GET', `${OTHER}/assistants/${SITE_ID}`, undefined, undefined],
  ])('the refusal of %s %s %s %j names the assistant %s', async (sub, method, path, body, site_id) => {
    const { call, store, facts } = await withAssistant();
    await store.createAction(anEventAction(), OPERATOR_AUTHOR);
    await call(sub, method, path, body);
    expect(facts).toMatchObject([{ kind: 'request_refused' }]);
    expect(facts).toEqual([expect.objectContaining({ site_id })]);
  });

  test('a path without an operation is answered with 404', async () => {
    const { call } = await dashboardApi();
    for (const path of ['/', '/nothing', `${ORG}/assistants/a%20b`, `${ORG}/actions/x/y/z`]) {
      expect((await call('anna', 'GET', path)).status).toBe(404);
    }
  });
});

describe('assistants', () => {
  test('are listed in pages, and no more are created than the organization may have', async () => {
    const { call, store } = await dashboardApi();
    for (let count = 0; count < 100; count++) {
      await store.createAssistant(anAssistant({ site_id: `site_${count}` }), 100, OPERATOR_AUTHOR);
    }
    const request = { idempotency_key: 'one', assistant: settings };
    const { status, body } = await call('anna', 'POST', `${ORG}/assistants`, request);
    expect([status, body.error]).toEqual([409, 'assistants: the organization may have at most 100']);
    const page = z.object({ assistants: z.array(z.object({ site_id: z.string() })), next: z.string().nullable() });
    const read = async (query = '') => page.parse((await call('anna', 'GET', `${ORG}/assistants${query}`)).body);
    const first = await read();
    const second = await read(`?after=${first.next}`);
    expect([first.assistants.length, second.assistants.length]).toEqual([50, 50]);
    expect(new Set([...first.assistants, ...second.assistants].map(({ site_id }) => site_id)).size).toBe(100);
    expect(await read(`?after=${second.next}`)).toEqual({ assistants: [], next: null });
    expect((await call('anna', 'GET', `${ORG}/assistants?after=a%20b`)).status).toBe(400);
  });

  test('that cannot be read are listed by id and reported, and hide no other', async () => {
    const { call, store, facts } = await withAssistant();
    await store.createAssistant(anAssistant({ site_id: 'site_broken' }), 100, OPERATOR_AUTHOR);
    const Item = { pk: 'SITE#site_broken', sk: 'ASSISTANT', assistant: { name: 'private' } };
    await store.client.putItem({ TableName: CONFIGURATION, Item });
    const { status, body } = await call('anna', 'GET', `${ORG}/assistants`);
    expect([status, body]).toMatchObject([
      200,
      { assistants: [{ site_id: SITE_ID }], unreadable: [{ site_id: 'site_broken' }], next: null },
    ]);
    expect(facts).toMatchObject([{ kind: 'assistant_unreadable', site_id: 'site_broken' }]);
  });

  test.each([
    ['of a membership', { pk: `ORG#${OTHER_ORG_ID}`, sk: 'MEMBER#anna', membership: { email: 'private' } }],
    ['of an organization', { pk: `ORG#${OTHER_ORG_ID}`, sk: 'ORG', organization: { name: 'private' } }],
    ['of newer code', { pk: `ORG#${OTHER_ORG_ID}`, sk: 'MEMBER#anna', v: 2 }],
  ])('a user keeps the other organizations beside an item %s that cannot be read', async (_, Item) => {
    const { call, store, facts } = await dashboardApi();
    const at = '2026-01-01T00:00:00.000Z';
    const membership = { org_id: OTHER_ORG_ID, sub: 'anna', email: 'anna@shop.example', created_at: at };
    await store.members.save({ ...membership, role: 'member' });
    await store.client.putItem({ TableName: CONFIGURATION, Item });
    const { status, body } = await call('anna', 'GET', '/me');
    const unreadable = [{ org_id: OTHER_ORG_ID }];
    expect([status, body]).toMatchObject([200, { organizations: [{ org_id: ORG_ID }], unreadable }]);
    expect(facts).toMatchObject([{ kind: 'organization_unreadable', org_id: OTHER_ORG_ID }]);
  });

  test('a member and a change that cannot be read hide no other, are counted and reported', async () => {
    const { call, store, facts } = await withAssistant();
    await call('anna', 'PATCH', SITE, { version: 1, change: { name: 'Second' } });
    const Items = [
      { pk: `ORG#${ORG_ID}`, sk: 'MEMBER#broken', membership: { email: 'private' } },
      { pk: `AUDIT#${ORG_ID}`, sk: '2020-01-01T00:00:00.000Z#site_x#1', record: { name: 'private' } },
    ];
    for (const Item of Items) await store.client.putItem({ TableName: CONFIGURATION, Item });
    const [members, audit] = [await call('anna', 'GET', `${ORG}/members`), await call('anna', 'GET', `${ORG}/audit`)];
    expect([members.status, members.body]).toMatchObject([200, { members: [{}, {}], unreadable: 1 }]);
    expect([audit.status, audit.body]).toMatchObject([200, { records: [{ fields: ['name'] }], unreadable: 1 }]);
    const reported = { kind: 'organization_unreadable', org_id: ORG_ID };
    expect(facts).toMatchObject([reported, reported]);
    expect(JSON.stringify(facts)).not.toContain('private');
  });

  test('escalation channels, the owner and the secret cannot be set here', async () => {
    const { call, store } = await withAssistant();
    for (const change of [
      { escalation_topics: ['arn:aws:sns:us-east-1:123456789012:va-wave-escalation-x'] },
      { org_id: OTHER_ORG_ID },
      { server_secret: { sha256: 'x', last_six: 'y' } },
      { site_id: 'site_x' },
    ]) {
      expect((await call('anna', 'PATCH', SITE, { version: 1, change })).status).toBe(400);
    }
    expect(await store.findAssistant(SITE_ID)).toEqual(anAssistant());
  });

  test('the same idempotency key creates one assistant, and another request with it is refused', async () => {
    const { call, store } = await dashboardApi();
    const request = { idempotency_key: 'one', assistant: settings };
    const create = (assistant: object) => call('anna', 'POST', `${ORG}/assistants`, { ...request, assistant });
    const [first, again, other] = [
      await create(settings),
      await create(settings),
      await create({ ...settings, name: 'B' }),
    ];
    expect([first.status, again.status, other.status]).toEqual([201, 201, 409]);
    expect(again.body).toEqual(first.body);
    expect((await store.auditPage(ORG_ID)).records).toHaveLength(1);
  });

  test('a save of an old version is refused and returns the current one, as it is shown', async () => {
    const server_secret = { sha256: 'x', last_six: '123456' };
    const { call } = await withAssistant({ server_secret });
    await call('anna', 'PATCH', SITE, { version: 1, change: { name: 'First' } });
    const { status, body, text } = await call('anna', 'PATCH', SITE, { version: 1, change: { name: 'Second' } });
    expect(text).not.toContain('sha256');
    expect(status).toBe(409);
    expect(body).toMatchObject({ success: false, current: { name: 'First', version: 2 } });
    expect(body).toMatchObject({ code: 'stale_version', error: expect.stringMatching(/^version: /) });
  });
});

test('the server secret is returned once; afterwards only its last six characters are shown', async () => {
  const { call } = await withAssistant({ authentication_mode: 'Session Signed' });
  const { status, body } = await call('anna', 'POST', `${SITE}/server-secret`, { version: 1 });
  expect(status).toBe(200);
  expect(body.server_secret).toMatch(/^ss_/);
  const later = await call('anna', 'GET', SITE);
  expect(later.body.server_secret).toEqual({ last_six: body.server_secret.slice(-6) });
  expect(later.text).not.toContain(body.server_secret);
  expect(later.text).not.toContain('sha256');
});

describe('Actions', () => {
  const create = (action: object, key = 'one') => [`${SITE}/actions`, { idempotency_key: key, action }] as const;

  test('are created enabled and never show a signing secret', async () => {
    const { call, store } = await withAssistant();
    const created = await call('anna', 'POST', ...create(eventAction));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ enabled: true, method: 'POST', site_id: SITE_ID, version: 1 });
    const path = `${ORG}/actions/${created.body.action_id}`;
    const replies = [
      created,
      await call('anna', 'GET', path),
      await call('anna', 'GET', `${ORG}/actions`),
      await call('anna', 'PATCH', path, { version: 1, change: { enabled: false } }),
      await call('anna', 'PATCH', path, { version: 1, change: { enabled: true } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 200, 200, 200, 409]);
    const stored = await store.findActionById(created.body.action_id);
    for (const { text } of replies) {
      expect(text).not.toMatch(/seal|signing_secret|whsec_/);
      expect(text).not.toContain(stored?.sealed_signing_secret);
    }
  });

  test('are deleted only with the current version', async () => {
    const { call, store } = await withAssistant();
    await store.createAction(aFormAction({ version: 2 }), OPERATOR_AUTHOR);
    expect((await call('anna', 'DELETE', `${ORG}/actions/act_form?version=1`)).status).toBe(409);
    expect((await call('anna', 'DELETE', `${ORG}/actions/act_form`)).status).toBe(400);
    expect((await call('anna', 'DELETE', `${ORG}/actions/act_form?version=2`)).body).toEqual({ deleted: true });
    expect(await store.findActionById('act_form')).toBeUndefined();
  });

  test('the Test button invokes the test function', async () => {
    const { call, store, tested } = await withAssistant();
    await store.createAction(anEventAction(), OPERATOR_AUTHOR);
    const { status, body } = await call('anna', 'POST', `${ORG}/actions/act_event/test`, {});
    expect([status, body.success, tested]).toEqual([200, true, ['act_event']]);
  });
});

test('members are listed by email address, without the ids of their logins', async () => {
  const { call, join } = await dashboardApi();
  await join('aaron', ORG_ID, 'member');
  const { body } = await call('max', 'GET', `${ORG}/members`);
  const of = (who: string, role: string) => ({
    email: `${who}@shop.example`,
    role,
    created_at: '2026-01-01T00:00:00.000Z',
  });
  const members = [of('aaron', 'member'), of('anna', 'admin'), of('max', 'member')];
  expect(body).toEqual({ members, unreadable: 0 });
});

describe('the audit trail', () => {
  test.each<[string, object, object[]]>([
    ['a name', { name: 'Web' }, [{ field: 'name', before: 'Event', after: 'Web' }]],
    [
      'a URL, without the queries',
      { url: 'https://b.example/hook?key=SECRET#SECRET' },
      [{ field: 'url', before: 'https://a.example/hook?…', after: 'https://b.example/hook?…' }],
    ],
    [
      'only the query of a URL',
      { url: 'https://a.example/hook?key=SECRET' },
      [{ field: 'url', before: 'https://a.example/hook?…', after: 'https://a.example/hook?…' }],
    ],
    ['a list', { events: ['sms.sent'] }, [{ field: 'events', before: '["contact.created"]', after: '["sms.sent"]' }]],
    [
      'a long text, cut',
      { name: '\u{1f600}'.repeat(100) },
      [{ field: 'name', before: 'Event', after: '\u{1f600}'.repeat(100) }],
    ],
    ['nothing', { name: 'Event' }, []],
  ])('has the old and the new value of %s', async (_, change, changes) => {
    const { call, store } = await withAssistant();
    await store.createAction(
      anEventAction({ name: 'Event', url: 'https://a.example/hook?key=OLD', events: ['contact.created'] }),
      OPERATOR_AUTHOR,
    );
    await call('anna', 'PATCH', `${ORG}/actions/act_event`, { version: 1, change });
    const audit = await call('anna', 'GET', `${ORG}/audit`);
    expect(audit.text).not.toContain(OPERATOR_AUTHOR.arn);
    const saved: { field: string }[] = audit.body.records[0].changes;
    expect(saved.filter(({ field }) => field !== 'slug')).toEqual(changes);
    expect(audit.text).not.toMatch(/SECRET|OLD/);
  });

  test('has the author and the changed fields, and nothing of a secret', async () => {
    const { call } = await withAssistant({ authentication_mode: 'Session Signed' });
    await call('anna', 'PATCH', SITE, { version: 1, change: { domain: 'hidden.example', enabled: false } });
    const { body } = await call('anna', 'POST', `${SITE}/server-secret`, { version: 2 });
    await call('anna', 'PATCH', SITE, { version: 1, change: { name: 'stale' } });
    const audit = await call('anna', 'GET', `${ORG}/audit`);
    expect(audit.body.records).toMatchObject([
      { operation: 'generate_server_secret', fields: ['server_secret'], version: 3 },
      { operation: 'update_assistant', fields: ['domain', 'enabled'], version: 2, by: { email: 'anna@shop.example' } },
    ]);
    expect(audit.body.records[0].changes).toEqual([]);
    expect(audit.text).not.toContain(body.server_secret.slice(-6));
  });

  test('has pages', async () => {
    const { call, clock } = await withAssistant();
    for (let version = 1; version <= AUDIT_PER_PAGE + 1; version++) {
      clock.advance(1);
      await call('anna', 'PATCH', SITE, { version, change: { name: `Name ${version}` } });
    }
    const { body } = await call('anna', 'GET', `${ORG}/audit`);
    const versions = body.records.map(({ version }: { version: number }) => version);
    expect(versions).toEqual(Array.from({ length: AUDIT_PER_PAGE }, (_, i) => AUDIT_PER_PAGE + 2 - i));
    const last = await call('anna', 'GET', `${ORG}/audit?after=${encodeURIComponent(body.next)}`);
    expect(last.body).toMatchObject({ records: [{ version: 2 }], next: null });
    expect((await call('anna', 'GET', `${ORG}/audit?after=`)).status).toBe(400);
    expect((await call('anna', 'GET', `${ORG}/audit?after=${'x'.repeat(201)}`)).status).toBe(400);
    // The place is a key of DynamoDB, which refuses half of a surrogate pair.
    expect(DASHBOARD_SCHEMAS.listAudit.query.safeParse({ after: '\ud800' }).success).toBe(false);
  });
});

test.each([
  ['wrong hosts', { allowed_domains: Array.from({ length: 62_000 }, () => '*') }],
  ['entries of a wrong type', { allowed_domains: Array.from({ length: 120_000 }, () => 1) }],
  ['wrong addresses', { ip_allowlist: Array.from({ length: 62_000 }, () => 'x') }],
  ['names that are not known', Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, 1]))],
])('a refusal of tens of thousands of %s stays small', async (_, wrong) => {
  const { call } = await dashboardApi();
  const assistant = { ...settings, ...wrong };
  const { status, body } = await call('anna', 'POST', `${ORG}/assistants`, { idempotency_key: 'one', assistant });
  expect(status).toBe(400);
  expect(body.fields.length).toBeLessThanOrEqual(100);
  expect(JSON.stringify(body).length).toBeLessThan(64 * 1024);
});

test('all wrong fields of a new assistant are returned together', async () => {
  const { status, body } = await (await dashboardApi()).call('anna', 'POST', `${ORG}/assistants`, {
    idempotency_key: 'key',
    assistant: { name: '', domain: '*.shop.example', ip_allowlist: ['::1', 'nowhere'], hourly_rate_limit: 0 },
  });
  expect(status).toBe(400);
  expect(body.fields.map(({ field }: { field: string }) => field)).toEqual([
    'name',
    'domain',
    'hourly_rate_limit',
    'ip_allowlist.1',
  ]);
  expect(body.error).toContain(body.fields[0].problem);
});

test('the installation check returns the requests of this hour and of the last 24 hours', async () => {
  const { body } = await (await withAssistant()).call('max', 'GET', `${SITE}/installation`);
  expect(body).toEqual({ requests_this_hour: 7, requests_last_24_hours: 40 });
});

describe('the check whether a page is allowed', () => {
  const entries = ['HTTPS://Example.com/x', 'b.example:8443', '*.c.example'];
  const ask = async (page?: object | string, addresses: readonly string[] = []) =>
    (await dashboardApi()).call('max', 'POST', '/check-hosts', { entries, page, addresses });

  test('returns normalized entries and addresses, and null for a text that is none, also without a page', async () => {
    const { body } = await ask(undefined, ['2001:DB8::0:1', '10.0.0.0/8']);
    expect(body).toEqual({
      entries: [
        { entry: 'HTTPS://Example.com/x', normalized: 'example.com' },
        { entry: 'b.example:8443', normalized: 'b.example:8443' },
        { entry: '*.c.example', normalized: null },
      ],
      page: null,
      addresses: [
        { address: '2001:DB8::0:1', normalized: '2001:db8::1' },
        { address: '10.0.0.0/8', normalized: null },
      ],
    });
  });

  test.each([
    ['https://example.com/', 'page'],
    [{ address: 'https://example.com/' }, 'page.domain'],
    [
      { address: 'https://example.com/', domain: 'example.com', authentication_mode: 'None' },
      'page.authentication_mode',
    ],
  ])('refuses %j', async (page, field) => {
    const { status, body } = await ask(page);
    expect([status, body.field]).toEqual([400, field]);
  });
});
