import fc from 'fast-check';
import * as z from 'zod';
import { TRIGGERS } from '../../../../src/contract/action-kinds.ts';
import { actionShape } from '../../../../src/contract/action-shape.ts';
import { ACTION_MAX_BYTES } from '../../../../src/contract/limits.ts';
import { slugOf } from '../../../../src/contract/slug.ts';
import { requireAction, settingsOf, withChange } from '../../../../src/domain/actions/manage-actions.ts';
import type { Context, ManagementContext } from '../../../../src/domain/context.ts';
import { anAssistant, OPERATOR_AUTHOR, ORG_ID, OTHER_SITE_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { memoryConfiguration } from '../../../fakes/configuration-store.ts';
import { refusalOf, refusedWith } from '../../../fakes/refusals.ts';
import { createAction, deleteAction, updateAction } from '../../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';

const url = 'https://crm.example/';
const EVENT = { trigger: 'Event', name: 'Tell the CRM', url, events: ['conversation.started'] };
const AI = { trigger: 'AI-decided', name: 'Look up an order', url, description: '0123456789' };
const FIELD = { key: 'email', label: 'Email', type: 'Email' };
const FORM = { trigger: 'Form', name: 'Contact us', url, form_fields: [FIELD] };
const OPTIONAL = TRIGGERS.flatMap((trigger) =>
  Object.entries(z.object(actionShape(z.object)[trigger]).shape).flatMap(([name, setting]) =>
    setting.safeParse(undefined).success ? [[trigger, name] as const] : [],
  ),
);

async function setUp() {
  const clock = new FrozenClock();
  const store = memoryConfiguration();
  await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'free', created_at: 'x' });
  for (const site_id of [SITE_ID, OTHER_SITE_ID])
    await store.createAssistant(anAssistant({ site_id }), 2, OPERATOR_AUTHOR);
  const context: ManagementContext & Context<'sealSigningSecret'> = {
    author: OPERATOR_AUTHOR,
    store,
    now: clock.now,
    randomBytes: countingBytes(),
    sealSigningSecret: async (secret, actionId) => `sealed(${secret.slice(0, 6)} of ${actionId})`,
  };
  const create = (input: object, siteId = SITE_ID) => createAction(siteId, input, context);
  const update = (actionId: string, change: object) => updateAction(actionId, change, context);
  return { clock, store, context, create, update };
}

describe('a new Action', () => {
  test('is enabled, uses POST and has its own id and sealed signing secret', async () => {
    const { create, store } = await setUp();
    const action = await create(EVENT);
    expect(action).toEqual({
      ...EVENT,
      method: 'POST',
      enabled: true,
      action_id: expect.stringMatching(/^act_[a-z2-7]{20}$/),
      org_id: ORG_ID,
      site_id: SITE_ID,
      slug: 'tell-the-crm',
      sealed_signing_secret: `sealed(whsec_ of ${action.action_id})`,
      created_at: '2026-03-04T05:06:07.250Z',
      updated_at: '2026-03-04T05:06:07.250Z',
      version: 1,
    });
    expect(await store.findActionById(action.action_id)).toEqual(action);
  });

  test('does not feed its response back and has optional fields by default', async () => {
    const { create } = await setUp();
    expect(await create(AI)).toMatchObject({ ...AI, feed_response_back: false });
    expect(await create(FORM)).toMatchObject({ form_fields: [{ ...FIELD, required: false }] });
  });

  const ai = (settings: object) => ({ ...AI, ...settings });
  /** A response field map as the dashboard sends it. */
  const mapped = (...entries: readonly (readonly [string, string])[]) =>
    ai({ response_field_map: entries.map(([name, path]) => ({ name, path })) });
  const form = (...form_fields: object[]) => ({ ...FORM, form_fields });
  const PROTO = JSON.parse('{"__proto__": {"type": "string"}}');

  test.each<[string, object]>([
    ['name: is required', { ...EVENT, name: '' }],
    ['url: must start with https://', { ...EVENT, url: 'http://crm.example/' }],
    ['events: at least one event is required', { ...EVENT, events: [] }],
    ['events.0: must be an event of the catalog', { ...EVENT, events: ['conversation.exploded'] }],
    ['events: must not name an event twice', { ...EVENT, events: ['sms.sent', 'sms.sent'] }],
    ['description: must be at least 10 characters', ai({ description: '012345678' })],
    ['description: is required', ai({ description: undefined })],
    ['parameters.properties.__proto__: cannot be used as a name', ai({ parameters: { properties: PROTO } })],
    ['parameters.properties.a.type: ', ai({ parameters: { properties: { a: { type: 'array' } } } })],
    ['parameters.properties.a.pattern: ', ai({ parameters: { properties: { a: { type: 'string', pattern: '(' } } } })],
    ['response_field_map.__proto__: cannot be used as a name', ai({ response_field_map: PROTO })],
    ['response_field_map.a: must be a dotted path such as $.order.status', ai({ response_field_map: { a: 'order' } })],
    ['response_field_map.a: must be a dotted path such as', ai({ response_field_map: { a: '$.items[0].name' } })],
    ['response_field_map.a: must be a dotted path such as', ai({ response_field_map: { a: '$.items.*' } })],
    ['response_field_map.0.name: must not be the name of another entry', mapped(['a', '$.a'], ['a', '$.b'])],
    ['response_field_map.1.name: must be at most 64 characters', mapped(['a', '$.a'], ['b'.repeat(65), 'b'])],
    ['response_field_map.0.name: is required', mapped(['', '$.a'])],
    ['response_field_map.0.path: must be a dotted path such as $.order.status', mapped(['a', 'a'])],
    ['response_field_map.0.name: cannot be used as a name', mapped(['__proto__', '$.a'])],
    [
      'response_field_map: must have at most 50 entries',
      mapped(...Array.from({ length: 51 }, (_, at) => [`n${at}`, '$.a'] as const)),
    ],
    ['response_field_map.0: must be an object', ai({ response_field_map: ['a'] })],
    ['response_field_map: has a wrong type', ai({ response_field_map: 'a' })],
    [
      'parameters.properties.a.enum.0: must be at most 200 characters',
      ai({ parameters: { properties: { a: { type: 'string', enum: ['x'.repeat(201)] } } } }),
    ],
    ['form_fields: at least one form field is required', form()],
    ['form_fields.0.type: ', form({ ...FIELD, type: 'Date' })],
    ['form_fields.0.key: must be at most 100 characters', form({ ...FIELD, key: 'k'.repeat(101) })],
    ['form_fields.0.key: must not be the key of another field', form(FIELD, FIELD)],
    ['form_fields: is not known', { ...EVENT, form_fields: FORM.form_fields }],
    ['sealed_signing_secret: is not known', { ...EVENT, sealed_signing_secret: 'x' }],
  ])('is refused with "%s" (%#)', async (message, input) => {
    const { create, store } = await setUp();
    const refusal = await refusalOf(create(input));
    expect([refusal.status, refusal.message.slice(0, message.length)]).toEqual([400, message]);
    expect((await store.listActions(ORG_ID)).actions).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['reserved events', { ...EVENT, events: ['form.submitted', 'call.completed', 'email.sent', 'test.ping'] }],
    ['a URL of 2000 characters that take 12 bytes each', { ...EVENT, url: `https://c/?${'😀'.repeat(1989)}` }],
    ['a parameter called constructor', ai({ parameters: { properties: { constructor: { type: 'string' } } } })],
    ['a field map that maps constructor', ai({ response_field_map: { constructor: '$.constructor' } })],
    ['a form key of 100 characters', form({ ...FIELD, key: 'k'.repeat(100) })],
  ])('with %s is accepted', async (_, input) => {
    expect((await (await setUp()).create(input)).version).toBe(1);
  });

  test('of an unknown assistant is refused', async () => {
    const refused = (await setUp()).create(EVENT, 'site_nobody');
    expect(await refusedWith(refused)).toEqual([404, 'site_id: no assistant site_nobody']);
  });

  test('is refused when the organization has 50 Actions, until one is deleted', async () => {
    const { create, context } = await setUp();
    const first = await create(EVENT);
    for (let i = 1; i < 50; i++) await create(EVENT, i % 2 ? SITE_ID : OTHER_SITE_ID);
    expect(await refusedWith(create(EVENT))).toEqual([409, 'actions: an organization has at most 50 Actions']);
    await deleteAction(first.action_id, context);
    await create(EVENT);
    const gone = requireAction(first.action_id, context);
    expect(await refusedWith(gone)).toEqual([404, `action_id: no Action ${first.action_id}`]);
  });

  test('has a slug that is unique per assistant and trigger, unless it is an Event Action', async () => {
    const { create, update } = await setUp();
    await create(FORM);
    const taken = [409, 'name: another Form Action of this assistant is already called contact-us'];
    expect(await refusedWith(create({ ...FORM, name: ' contact US!' }))).toEqual(taken);
    await create(FORM, OTHER_SITE_ID);
    await create({ ...AI, name: FORM.name });
    await create(EVENT);
    await create(EVENT);
    const second = await create({ ...FORM, name: 'Second' });
    expect(await refusedWith(update(second.action_id, { name: FORM.name }))).toEqual(taken);
    expect((await update(second.action_id, { name: 'Second' })).version).toBe(2);
  });

  test('has a bounded size, and the largest setting is named', async () => {
    const { create, update } = await setUp();
    const fields = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...FIELD, key: `${i}`.padEnd(100, '語'), label: '😀'.repeat(100) }));
    expect(Buffer.byteLength(JSON.stringify(fields(50)))).toBeGreaterThan(ACTION_MAX_BYTES);
    expect(await refusalOf(create(form(...fields(50))))).toMatchObject({ status: 400, field: 'form_fields' });
    const entries = Array.from({ length: 50 }, (_, i) => [`n${i}`, `$.${'語'.repeat(198)}`]);
    const tool = ai({ url: `${url}${'語'.repeat(1900)}`, response_field_map: Object.fromEntries(entries) });
    expect(await refusalOf(create(tool))).toMatchObject({ field: 'response_field_map' });
    const { action_id } = await create(form(...fields(40)));
    expect(await refusalOf(update(action_id, { form_fields: fields(50) }))).toMatchObject({ field: 'form_fields' });
  });
});

describe('changing an Action', () => {
  test('keeps other settings, secret and creation time, and increases the version', async () => {
    const { create, update, clock } = await setUp();
    const action = await create(FORM);
    clock.advance(1000);
    const changed = await update(action.action_id, { name: 'Call me', enabled: false });
    const updated_at = '2026-03-04T05:06:08.250Z';
    expect(changed).toEqual({ ...action, name: 'Call me', slug: 'call-me', enabled: false, updated_at, version: 2 });
  });

  test('keeps its slug unless its name changes, also a slug that another rule made', async () => {
    const { create, update, store, context } = await setUp();
    const action = await create(FORM);
    await store.replaceAction(action, { ...action, slug: '24h-contact', version: 2 }, context.author);
    expect(await update(action.action_id, { enabled: false })).toMatchObject({ slug: '24h-contact' });
    expect(await update(action.action_id, { name: 'Call me' })).toMatchObject({ slug: 'call-me' });
  });

  test.each(OPTIONAL)('null removes the optional setting of an Action with trigger %s: %s', async (trigger, name) => {
    const { create } = await setUp();
    const action = await create({ Event: EVENT, 'AI-decided': AI, Form: FORM }[trigger]);
    expect(withChange(Object.assign({ ...action }, { [name]: 'set' }), { [name]: null })).toEqual(action);
  });

  test('keeps fields of newer code, which are no settings', async () => {
    const { create, update, store } = await setUp();
    const action = await create(AI);
    const newer = Object.assign({ ...action, version: 2 }, { of_a_later_release: { on: true } });
    await store.replaceAction(action, newer, OPERATOR_AUTHOR);
    const changed = await update(action.action_id, { enabled: false });
    expect(changed).toMatchObject({ enabled: false, of_a_later_release: { on: true } });
    expect(settingsOf(changed)).not.toHaveProperty('of_a_later_release');
  });

  test.each<[object, Record<string, unknown>, string]>([
    [EVENT, FORM, 'trigger: cannot be changed after creation; it is Event'],
    [EVENT, { url: 'http://crm.example' }, 'url: must start with https://'],
    [EVENT, JSON.parse('{"__proto__": {"name": "x"}}'), '__proto__'],
    [EVENT, { events: [] }, 'events: at least one event is required'],
    [EVENT, { action_id: 'act_other' }, 'action_id: is not known'],
    [EVENT, { sealed_signing_secret: 'x' }, 'sealed_signing_secret: is not known'],
    [AI, { parameters: { required: ['a'] } }, 'parameters.required: a is not among the properties'],
  ])('from %j to %j is refused: %s', async (input, change, message) => {
    const { create, update } = await setUp();
    const { action_id, trigger } = await create(input);
    expect(await refusedWith(update(action_id, change))).toEqual([400, expect.stringContaining(message)]);
    expect(await update(action_id, { trigger, name: 'B' })).toMatchObject({ name: 'B' });
  });

  test('that was changed in the meantime is refused', async () => {
    const { create, update, context, store } = await setUp();
    const action = await create(EVENT);
    const slow = { ...context, store: { ...store, findActionById: async () => action } };
    await update(action.action_id, { name: 'Theirs' });
    expect((await refusalOf(updateAction(action.action_id, { name: 'Mine' }, slow))).code).toBe('stale_version');
    expect((await refusalOf(deleteAction(action.action_id, slow))).code).toBe('stale_version');
  });
});

test.each([
  ['Contact us', 'contact-us'],
  ['  Contact   us! ', 'contact-us'],
  ['Größe & Café №5', 'gro-e-cafe-no5'],
  ['ALL_CAPS', 'all-caps'],
  ['日本', 'action-45678901'],
  ['---', 'action-45678901'],
  ['x'.repeat(100), 'x'.repeat(64)],
  [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
  ['24h support', 'action-24h-support'],
  ['№ 1', 'no-1'],
  ['1'.repeat(100), `action-${'1'.repeat(57)}`],
])('%p becomes %p', (name, slug) => {
  expect(slugOf(name, 'act_012345678901')).toBe(slug);
});

test('every name has a slug that is valid in a path, and as the name of a tool of every model API', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (name) => {
      expect(slugOf(name, 'act_abcdefgh')).toMatch(/^[a-z]([a-z0-9-]{0,62}[a-z0-9])?$/);
    }),
  );
});
