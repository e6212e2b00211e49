import type { FormAction } from '../../../src/contract/actions.ts';
import { ACTION_MAX_BYTES } from '../../../src/contract/limits.ts';
import {
  createAction,
  type ManageActionsPorts,
  requireAction,
  settingsOf,
} from '../../../src/domain/actions/manage-actions.ts';
import { aFormAction, anAssistant, ORG_ID, OTHER_SITE_ID, SITE_ID } from '../../fakes/configuration.ts';
import { InMemoryConfigurationStore } from '../../fakes/configuration-store.ts';
import { refusalOf, refusedWith } from '../../fakes/refusals.ts';
import { deleteAction, updateAction } from '../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';

const EVENT = { trigger: 'Event', name: 'Tell the CRM', url: 'https://crm.example/', events: ['conversation.started'] };
const AI = {
  trigger: 'AI-decided',
  name: 'Look up an order',
  url: 'https://crm.example/',
  description: '0123456789',
};
const FORM = {
  trigger: 'Form',
  name: 'Contact us',
  url: 'https://crm.example/',
  form_fields: [{ key: 'email', label: 'Email', type: 'Email' }],
};

function setUp() {
  const clock = new FrozenClock();
  const store = new InMemoryConfigurationStore();
  store.organizations.set(ORG_ID, { org_id: ORG_ID, name: 'Shop', plan: 'free', created_at: 'x' });
  store.assistants.set(SITE_ID, anAssistant());
  store.assistants.set(OTHER_SITE_ID, anAssistant({ site_id: OTHER_SITE_ID }));
  const ports: ManageActionsPorts = {
    store,
    now: clock.now,
    randomBytes: countingBytes(),
    sealSigningSecret: async (secret, actionId) => `sealed(${secret.slice(0, 6)} of ${actionId})`,
  };
  return { clock, store, ports };
}

describe('a new Action', () => {
  test('is enabled, uses POST and has its own id and sealed signing secret', async () => {
    const { ports, store } = setUp();
    const action = await createAction(SITE_ID, EVENT, ports);
    expect(action).toEqual({
      ...EVENT,
      method: 'POST',
      enabled: true,
      action_id: expect.stringMatching(/^act_[a-z2-7]{20}$/),
      org_id: anAssistant().org_id,
      site_id: SITE_ID,
      slug: 'tell-the-crm',
      sealed_signing_secret: `sealed(whsec_ of ${action.action_id})`,
      created_at: '2026-03-04T05:06:07.250Z',
      updated_at: '2026-03-04T05:06:07.250Z',
      version: 1,
    });
    expect(store.actions.get(action.action_id)).toEqual(action);
  });

  test('with the trigger AI-decided does not feed its response back by default', async () => {
    const { ports } = setUp();
    expect(await createAction(SITE_ID, AI, ports)).toMatchObject({ ...AI, feed_response_back: false });
  });

  test('with the trigger Form has optional fields by default', async () => {
    const { ports } = setUp();
    expect(await createAction(SITE_ID, FORM, ports)).toMatchObject({
      form_fields: [{ key: 'email', label: 'Email', type: 'Email', required: false }],
    });
  });

  const url = (url: string) => ({ ...EVENT, url });
  const ai = (settings: object) => ({ ...AI, ...settings });
  const form = (...form_fields: object[]) => ({ ...FORM, form_fields });
  const field = { key: 'a', label: 'A', type: 'Text' };
  const PROTO = JSON.parse('{"__proto__": {"type": "string"}}');

  test.each<[string, object]>([
    ['name: is required', { ...EVENT, name: '' }],
    ['trigger: ', { ...EVENT, trigger: 'Timer' }],
    ['url: must start with https://', url('http://crm.example/')],
    ['url: must be at most 2000 characters', url(`https://crm.example/${'x'.repeat(1981)}`)],
    ['url: must be well-formed Unicode', url('https://crm.example/\ud83d')],
    ['url: must not contain credentials', url('https://a:b@crm.example/')],
    ['method: ', { ...EVENT, method: 'HEAD' }],
    ['events: at least one event is required', { ...EVENT, events: [] }],
    ['events.0: must be an event of the catalog', { ...EVENT, events: ['conversation.exploded'] }],
    ['events: must not name an event twice', { ...EVENT, events: ['sms.sent', 'sms.sent'] }],
    ['description: must be at least 10 characters', ai({ description: '012345678' })],
    ['description: must be at least 10 characters', ai({ description: '👩👩👩👩👩' })],
    ['description: is required', ai({ description: ' '.repeat(12) })],
    ['description: is required', ai({ description: undefined })],
    ['parameters.properties.__proto__: cannot be used as a name', ai({ parameters: { properties: PROTO } })],
    ['parameters.properties.a.type: ', ai({ parameters: { properties: { a: { type: 'array' } } } })],
    ['parameters.properties.a.pattern: ', ai({ parameters: { properties: { a: { type: 'string', pattern: '(' } } } })],
    ['response_field_map.__proto__: cannot be used as a name', ai({ response_field_map: PROTO })],
    ['response_field_map.a: ', ai({ response_field_map: { a: 'order.status' } })],
    ['form_fields: at least one form field is required', form()],
    ['form_fields.0.type: ', form({ ...field, type: 'Date' })],
    ['form_fields.0.key: ', form({ ...field, key: 'k'.repeat(101) })],
    ['form_fields.0.key: must not be the key of another field', form(field, field)],
    ['form_fields: is not known', { ...EVENT, form_fields: FORM.form_fields }],
    ['sealed_signing_secret: is not known', { ...EVENT, sealed_signing_secret: 'x' }],
  ])('is refused with "%s" (%#)', async (message, input) => {
    const { ports, store } = setUp();
    const refusal = await refusalOf(createAction(SITE_ID, input, ports));
    expect([refusal.status, refusal.message.slice(0, message.length)]).toEqual([400, message]);
    expect(store.actions.size).toBe(0);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a URL of 2000 characters', { ...EVENT, url: `https://crm.example/${'x'.repeat(1980)}` }],
    [
      'every event, also the reserved ones',
      { ...EVENT, events: ['form.submitted', 'call.completed', 'email.sent', 'test.ping'] },
    ],
    ['a description of 10 emoji', { ...AI, description: '👩'.repeat(10) }],
    ['a URL of 2000 characters that take 12 bytes each', { ...EVENT, url: `https://c/?${'😀'.repeat(1989)}` }],
    ['a parameter called constructor', { ...AI, parameters: { properties: { constructor: { type: 'string' } } } }],
    ['a field map that maps constructor', { ...AI, response_field_map: { constructor: '$.constructor' } }],
    ['a form key of 100 characters', { ...FORM, form_fields: [{ key: 'k'.repeat(100), label: 'A', type: 'Text' }] }],
  ])('with %s is accepted', async (_, input) => {
    expect((await createAction(SITE_ID, input, setUp().ports)).version).toBe(1);
  });

  test('of an unknown assistant is refused', async () => {
    const { ports } = setUp();
    expect(await refusedWith(createAction('site_nobody', EVENT, ports))).toEqual([
      404,
      'site_id: no assistant site_nobody',
    ]);
  });

  test('is refused when the organization has 50 Actions', async () => {
    const { ports } = setUp();
    for (let i = 0; i < 50; i++) await createAction(i % 2 ? SITE_ID : OTHER_SITE_ID, EVENT, ports);
    expect(await refusedWith(createAction(SITE_ID, EVENT, ports))).toEqual([
      409,
      'actions: an organization has at most 50 Actions',
    ]);
  });

  test('has a slug that is unique per assistant and trigger, unless it is an Event Action', async () => {
    const { ports } = setUp();
    await createAction(SITE_ID, FORM, ports);
    expect(await refusedWith(createAction(SITE_ID, { ...FORM, name: ' contact US!' }, ports))).toEqual([
      409,
      'name: another Form Action of this assistant is already called contact-us',
    ]);
    await createAction(OTHER_SITE_ID, FORM, ports);
    await createAction(SITE_ID, { ...AI, name: FORM.name }, ports);
    await createAction(SITE_ID, EVENT, ports);
    await createAction(SITE_ID, EVENT, ports);
  });
});

describe('changing an Action', () => {
  test('keeps other settings, secret and creation time, and increases the version', async () => {
    const { ports, clock } = setUp();
    const action = await createAction(SITE_ID, FORM, ports);
    clock.advance(1000);
    const changed = await updateAction(action.action_id, { name: 'Call me', enabled: false }, ports);
    expect(changed).toEqual({
      ...action,
      name: 'Call me',
      slug: 'call-me',
      enabled: false,
      updated_at: '2026-03-04T05:06:08.250Z',
      version: 2,
    });
    expect(await updateAction(action.action_id, { method: 'PUT', enabled: undefined }, ports)).toMatchObject({
      method: 'PUT',
      enabled: false,
    });
  });

  test('keeps fields of newer code, which are no settings', async () => {
    const { ports, store } = setUp();
    const action = await createAction(SITE_ID, AI, ports);
    const newer = { ...action, response_field_map: { a: '$.a' }, of_a_later_release: { on: true } };
    store.actions.set(action.action_id, newer);
    const changed = await updateAction(action.action_id, { enabled: false, response_field_map: null }, ports);
    expect(changed).toMatchObject({ enabled: false, of_a_later_release: { on: true } });
    expect(changed).not.toHaveProperty('response_field_map');
    expect(settingsOf(changed)).not.toHaveProperty('of_a_later_release');
  });

  test('refuses another trigger and accepts the current one', async () => {
    const { ports } = setUp();
    const action = await createAction(SITE_ID, EVENT, ports);
    expect(await refusedWith(updateAction(action.action_id, { ...FORM }, ports))).toEqual([
      400,
      'trigger: cannot be changed after creation; it is Event',
    ]);
    expect(await updateAction(action.action_id, { trigger: 'Event', name: 'B' }, ports)).toMatchObject({ name: 'B' });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ url: 'http://crm.example' }, 'url: must start with https://'],
    [{ url: 'https://crm.example/\ud83d' }, 'url: must be well-formed Unicode'],
    [JSON.parse('{"__proto__": {"name": "x"}}'), '__proto__'],
    [{ events: [] }, 'events: at least one event is required'],
    [{ action_id: 'act_other' }, 'action_id: is not known'],
    [{ sealed_signing_secret: 'x' }, 'sealed_signing_secret: is not known'],
  ])('to %p is refused: %p', async (change, message) => {
    const { ports } = setUp();
    const action = await createAction(SITE_ID, EVENT, ports);
    expect(await refusedWith(updateAction(action.action_id, change, ports))).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  test('to the name of another Action is refused, to its own name is accepted', async () => {
    const { ports } = setUp();
    await createAction(SITE_ID, FORM, ports);
    const second = await createAction(SITE_ID, { ...FORM, name: 'Second' }, ports);
    expect((await refusalOf(updateAction(second.action_id, { name: 'Contact us' }, ports))).status).toBe(409);
    expect((await updateAction(second.action_id, { name: 'Second' }, ports)).version).toBe(2);
  });

  test('that was changed in the meantime is refused', async () => {
    const { ports, store } = setUp();
    const action = await createAction(SITE_ID, EVENT, ports);
    const slow = { ...ports, store: { ...store, findActionById: async () => action } };
    await updateAction(action.action_id, { name: 'Theirs' }, ports);
    expect((await refusalOf(updateAction(action.action_id, { name: 'Mine' }, slow))).status).toBe(409);
    expect((await refusalOf(deleteAction(action.action_id, slow))).status).toBe(409);
  });
});

test('a deleted Action no longer exists and does not count towards the limit', async () => {
  const { ports } = setUp();
  const action = await createAction(SITE_ID, FORM, ports);
  await deleteAction(action.action_id, ports);
  expect(await refusedWith(requireAction(action.action_id, ports))).toEqual([
    404,
    `action_id: no Action ${action.action_id}`,
  ]);
  expect((await createAction(SITE_ID, FORM, ports)).slug).toBe('contact-us');
});

describe('the size of an Action', () => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      key: String(index).padEnd(100, '語'),
      label: '😀'.repeat(100),
      type: 'Text' as const,
      required: false,
    }));
  /** A form of older code, which had no such limit. */
  const older: FormAction = aFormAction({ form_fields: fields(50) });

  test('is bounded for each trigger', async () => {
    const { ports } = setUp();
    const form = { ...FORM, form_fields: fields(50) };
    expect(Buffer.byteLength(JSON.stringify(form))).toBeGreaterThan(ACTION_MAX_BYTES);
    expect(await refusalOf(createAction(SITE_ID, form, ports))).toMatchObject({
      code: 'invalid_request',
      field: 'form_fields',
    });
    const mapped = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, `$.${'語'.repeat(198)}`]));
    const tool = { ...AI, url: `https://crm.example/${'語'.repeat(1900)}`, response_field_map: mapped };
    expect(await refusalOf(createAction(SITE_ID, tool, ports))).toMatchObject({ field: 'response_field_map' });
    await createAction(SITE_ID, { ...FORM, form_fields: fields(40) }, ports);
  });

  test('may stay above the bound, but not grow, when older code stored it', async () => {
    const { ports, store } = setUp();
    store.actions.set(older.action_id, older);
    const off = await updateAction(older.action_id, { enabled: false }, ports);
    const on = await updateAction(older.action_id, { enabled: true, url: 'https://c.example/' }, ports);
    expect([off.enabled, on.enabled]).toEqual([false, true]);
    const grown = updateAction(older.action_id, { name: 'Contact us, please' }, ports);
    expect(await refusalOf(grown)).toMatchObject({ field: 'form_fields' });
    expect(await updateAction(older.action_id, { form_fields: fields(3) }, ports)).toMatchObject({ version: 4 });
  });
});
