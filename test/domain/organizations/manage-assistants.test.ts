import { ASSISTANT_SETTINGS } from '../../../src/contract/assistants.ts';
import { serverSecretMatches, siteOfServerSecret } from '../../../src/domain/auth/server-secret.ts';
import type { ManagementContext } from '../../../src/domain/context.ts';
import { createAssistant, setByOperator } from '../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization, updateOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { memoryConfiguration } from '../../fakes/configuration-store.ts';
import { refusalOf, refusedWith } from '../../fakes/refusals.ts';
import { generateServerSecret, updateAssistant } from '../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';

const NEW = { name: 'B', hourly_rate_limit: 1 };

async function setUp(plan: 'free' | 'paid' = 'paid') {
  const clock = new FrozenClock();
  const store = memoryConfiguration();
  const ports: ManagementContext = { store, now: clock.now, randomBytes: countingBytes() };
  const organization = await createOrganization({ name: 'Acme', plan }, ports);
  const assistant = await createAssistant(organization.org_id, { name: 'Shop', hourly_rate_limit: 100 }, ports);
  return { clock, store, ports, organization, assistant };
}

describe('an organization', () => {
  test('has the plan free by default, and its own id', async () => {
    const { ports } = await setUp();
    expect(await createOrganization({ name: 'Beta' }, ports)).toEqual({
      org_id: expect.stringMatching(/^org_[a-z2-7]{20}$/),
      name: 'Beta',
      plan: 'free',
      created_at: '2026-03-04T05:06:07.250Z',
    });
  });

  test.each<[Parameters<typeof createOrganization>[0], string]>([
    [{ name: '' }, 'name: is required'],
    [{ name: '   ' }, 'name: is required'],
    [{ name: 'x'.repeat(101) }, 'name: must be at most 100 characters'],
    [{ name: 'x', plan: 'gold' }, 'plan: '],
  ])('%p is refused: %p', async (input, message) => {
    const { ports } = await setUp();
    expect(await refusedWith(createOrganization(input, ports))).toEqual([400, expect.stringContaining(message)]);
  });

  test('keeps settings that a change does not name', async () => {
    const { ports, organization } = await setUp('free');
    expect(await updateOrganization(organization.org_id, { plan: 'paid' }, ports)).toEqual({
      ...organization,
      plan: 'paid',
    });
    expect(await refusedWith(updateOrganization('org_nobody', {}, ports))).toEqual([
      404,
      'org_id: no organization org_nobody',
    ]);
  });
});

describe('an assistant', () => {
  test('is enabled by default, in Allowed Websites, with empty lists', async () => {
    const { assistant, organization } = await setUp();
    expect(assistant).toEqual({
      site_id: expect.stringMatching(/^site_[a-z2-7]{20}$/),
      org_id: organization.org_id,
      name: 'Shop',
      domain: '',
      enabled: true,
      hourly_rate_limit: 100,
      authentication_mode: 'Allowed Websites',
      allowed_domains: [],
      ip_allowlist: [],
      created_at: '2026-03-04T05:06:07.250Z',
      updated_at: '2026-03-04T05:06:07.250Z',
      version: 1,
    });
  });

  test.each([
    [{ domain: 'https://Shop.Example:8443/' }, ['shop.example:8443']],
    [{ domain: 'shop.example', allowed_domains: ['www.shop.example'] }, ['www.shop.example']],
    [{ domain: 'shop.example', allowed_domains: [] }, []],
    [{ domain: ' ' }, []],
  ])('with the settings %j starts with the Allowed Domains %j', async (settings, allowed_domains) => {
    const { ports, organization } = await setUp();
    const input = { ...NEW, ...settings };
    expect((await createAssistant(organization.org_id, input, ports)).allowed_domains).toEqual(allowed_domains);
  });

  test('has hosts and addresses normalized when it is created and when it is saved', async () => {
    const { ports, organization, assistant } = await setUp();
    const settings = {
      domain: 'https://Shop.Example/',
      allowed_domains: ['https://Shop.Example/path', 'shop.example', 'HTTP://shop.example:8080/'],
      ip_allowlist: ['::FFFF:198.51.100.7', '198.51.100.7', '2001:DB8:0::1'],
    };
    const expected = {
      domain: 'shop.example',
      allowed_domains: ['shop.example', 'shop.example:8080'],
      ip_allowlist: ['198.51.100.7', '2001:db8::1'],
    };
    expect(await createAssistant(organization.org_id, { ...NEW, ...settings }, ports)).toMatchObject(expected);
    expect(await updateAssistant(assistant.site_id, settings, ports)).toMatchObject(expected);
    expect(await updateAssistant(assistant.site_id, { domain: '  ' }, ports)).toMatchObject({
      ...expected,
      domain: '',
    });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ name: '' }, 'name: '],
    [{ hourly_rate_limit: undefined }, 'hourly_rate_limit: '],
    [{ hourly_rate_limit: 0 }, 'hourly_rate_limit: '],
    [{ hourly_rate_limit: 1.5 }, 'hourly_rate_limit: '],
    [{ hourly_rate_limit: '100' }, 'hourly_rate_limit: '],
    [{ authentication_mode: 'None' }, 'authentication_mode: '],
    [{ domain: '*.shop.example' }, 'domain: '],
    [{ allowed_domains: ['shop.example', '*.shop.example'] }, 'allowed_domains.1: '],
    [{ allowed_domains: 'shop.example' }, 'allowed_domains: '],
    [{ allowed_domains: Array.from({ length: 101 }, (_, i) => `s${i}.example`) }, 'allowed_domains: '],
    [{ ip_allowlist: ['198.51.100.0/24'] }, 'ip_allowlist.0: '],
    [{ site_id: 'site_mine' }, ''],
    [{ server_secret: { sha256: '', last_six: '' } }, ''],
    [{ escalation_topics: [] }, ''],
  ])('with %p is refused: %p', async (changes, message) => {
    const { ports, organization } = await setUp();
    const refused = createAssistant(organization.org_id, { ...NEW, ...changes }, ports);
    expect(await refusedWith(refused)).toEqual([400, expect.stringMatching(new RegExp(`^${message}.+`))]);
  });

  test('of an unknown organization is refused', async () => {
    const { ports } = await setUp();
    const refused = createAssistant('org_nobody', NEW, ports);
    expect(await refusedWith(refused)).toEqual([404, 'org_id: no organization org_nobody']);
  });

  test('keeps settings that a change does not name, and increases the version', async () => {
    const { ports, assistant, clock } = await setUp();
    clock.advance(1000);
    const changed = await updateAssistant(assistant.site_id, { enabled: false, allowed_domains: ['a.example'] }, ports);
    expect(changed).toEqual({
      ...assistant,
      enabled: false,
      allowed_domains: ['a.example'],
      updated_at: '2026-03-04T05:06:08.250Z',
      version: 2,
    });
    expect(await updateAssistant(assistant.site_id, { name: 'New' }, ports)).toMatchObject({
      name: 'New',
      enabled: false,
      allowed_domains: ['a.example'],
    });
  });

  const optional = Object.entries(ASSISTANT_SETTINGS).filter(([, setting]) => setting.safeParse(undefined).success);

  test.each(optional)('null removes the optional setting %s, and a change of something else keeps it', async (name) => {
    const { assistant, ports, store } = await setUp();
    const set = Object.assign({ ...assistant, version: 2 }, { [name]: ['set'] });
    await store.replaceAssistant(assistant, set);
    expect(await updateAssistant(assistant.site_id, { name: 'New' }, ports)).toMatchObject({ [name]: ['set'] });
    expect(Object(await updateAssistant(assistant.site_id, { [name]: null }, ports))[name]).toBeUndefined();
  });

  test('that was saved in the meantime is not overwritten', async () => {
    const { ports, assistant, store } = await setUp();
    const slow = { ...ports, store: { ...store, findAssistant: async () => assistant } };
    await updateAssistant(assistant.site_id, { name: 'Theirs' }, ports);
    expect((await refusalOf(updateAssistant(assistant.site_id, { name: 'Mine' }, slow))).status).toBe(409);
    expect((await store.findAssistant(assistant.site_id))?.name).toBe('Theirs');
  });

  test('that does not exist cannot be changed', async () => {
    const { ports } = await setUp();
    expect(await refusedWith(updateAssistant('site_nobody', {}, ports))).toEqual([
      404,
      'site_id: no assistant site_nobody',
    ]);
  });
});

describe('Session Signed', () => {
  const signed = { authentication_mode: 'Session Signed' };

  test('cannot be selected on the free plan', async () => {
    const { ports, organization, assistant } = await setUp('free');
    const created = createAssistant(organization.org_id, { ...NEW, ...signed }, ports);
    expect(await refusedWith(created)).toEqual([400, expect.stringMatching(/^authentication_mode: .*paid/)]);
    expect(await refusedWith(updateAssistant(assistant.site_id, signed, ports))).toEqual([
      400,
      expect.stringMatching(/^authentication_mode: .*paid/),
    ]);
  });

  test('keeps working after a downgrade, but cannot be selected again', async () => {
    const { ports, organization, assistant } = await setUp('paid');
    await updateAssistant(assistant.site_id, signed, ports);
    await updateOrganization(organization.org_id, { plan: 'free' }, ports);
    expect(await updateAssistant(assistant.site_id, { ...signed, name: 'Renamed' }, ports)).toMatchObject({
      ...signed,
      name: 'Renamed',
    });
    await updateAssistant(assistant.site_id, { authentication_mode: 'Allowed Websites' }, ports);
    expect((await refusalOf(updateAssistant(assistant.site_id, signed, ports))).status).toBe(400);
  });
});

describe('the server secret', () => {
  async function signedSetUp() {
    const all = await setUp('paid');
    await updateAssistant(all.assistant.site_id, { authentication_mode: 'Session Signed' }, all.ports);
    return { ...all, siteId: all.assistant.site_id };
  }

  test('is returned once and stored as its hash with the last six characters', async () => {
    const { ports, siteId, store } = await signedSetUp();
    const { serverSecret, assistant } = await generateServerSecret(siteId, { regenerate: false }, ports);
    expect(siteOfServerSecret(serverSecret)).toBe(siteId);
    const stored = await store.findAssistant(siteId);
    expect(stored).toEqual(assistant);
    expect(stored?.server_secret?.last_six).toBe(serverSecret.slice(-6));
    expect(serverSecretMatches(stored?.server_secret, serverSecret)).toBe(true);
    expect(JSON.stringify(store.items())).not.toContain(serverSecret);
  });

  test('is replaced only on request, and then the old secret is refused', async () => {
    const { ports, siteId, store } = await signedSetUp();
    const first = await generateServerSecret(siteId, { regenerate: false }, ports);
    expect((await refusalOf(generateServerSecret(siteId, { regenerate: false }, ports))).status).toBe(409);
    const second = await generateServerSecret(siteId, { regenerate: true }, ports);
    const stored = (await store.findAssistant(siteId))?.server_secret;
    expect(serverSecretMatches(stored, first.serverSecret)).toBe(false);
    expect(serverSecretMatches(stored, second.serverSecret)).toBe(true);
  });

  test('is kept when settings change', async () => {
    const { ports, siteId } = await signedSetUp();
    const { assistant } = await generateServerSecret(siteId, { regenerate: false }, ports);
    expect((await updateAssistant(siteId, { name: 'New' }, ports)).server_secret).toEqual(assistant.server_secret);
  });

  test('is generated first when Session Signed is selected, also when it is not saved, and regenerated at any time', async () => {
    const { ports, assistant } = await setUp('paid');
    const { site_id } = assistant;
    const refused = generateServerSecret(site_id, { regenerate: true }, ports);
    expect(await refusedWith(refused)).toEqual([400, expect.stringMatching(/^authentication_mode: /)]);
    const selected = { regenerate: false, authentication_mode: 'Session Signed' } as const;
    const first = await generateServerSecret(site_id, selected, ports);
    expect(first.assistant.authentication_mode).toBe('Allowed Websites');
    const second = await generateServerSecret(site_id, { regenerate: true }, ports);
    expect(second.serverSecret).not.toBe(first.serverSecret);
  });

  test('is not generated on a free account, where Session Signed cannot be selected', async () => {
    const { ports, assistant } = await setUp('free');
    const selected = { regenerate: false, authentication_mode: 'Session Signed' } as const;
    expect((await refusalOf(generateServerSecret(assistant.site_id, selected, ports))).code).toBe('paid_feature');
  });
});

describe('escalation topics', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:va-wave-escalation-shop';

  test('are set, and kept when settings change', async () => {
    const { ports, assistant } = await setUp();
    await setByOperator(assistant.site_id, 'escalation_topics', [topic], ports);
    expect((await updateAssistant(assistant.site_id, { name: 'New' }, ports)).escalation_topics).toEqual([topic]);
  });

  test.each([
    'arn:aws:sns:eu-central-1:123456789012:alarms',
    'arn:aws:sqs:eu-central-1:123456789012:va-wave-escalation-shop',
    'arn:aws:sns:eu-central-1:123456789012:va-wave-escalation-shop:sub',
    'va-wave-escalation-shop',
  ])('%p is refused', async (wrong) => {
    const { ports, assistant } = await setUp();
    expect(await refusedWith(setByOperator(assistant.site_id, 'escalation_topics', [topic, wrong], ports))).toEqual([
      400,
      expect.stringMatching(/^escalation_topics\.1: /),
    ]);
  });
});
