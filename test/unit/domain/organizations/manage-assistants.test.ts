import { ASSISTANT_SETTINGS } from '../../../../src/contract/assistants.ts';
import { serverSecretMatches, siteOfServerSecret } from '../../../../src/domain/auth/server-secret.ts';
import type { ManagementContext } from '../../../../src/domain/context.ts';
import { createAssistant, setByOperator } from '../../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization, updateOrganization } from '../../../../src/domain/organizations/manage-organizations.ts';
import { OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { memoryConfiguration } from '../../../fakes/configuration-store.ts';
import { refusalOf, refusedWith } from '../../../fakes/refusals.ts';
import { generateServerSecret, updateAssistant } from '../../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';

const NEW = { name: 'B', hourly_rate_limit: 1 };

async function setUp(plan: 'free' | 'paid' = 'paid') {
  const clock = new FrozenClock();
  const store = memoryConfiguration();
  const context: ManagementContext = { author: OPERATOR_AUTHOR, store, now: clock.now, randomBytes: countingBytes() };
  const organization = await createOrganization({ name: 'Acme', plan }, context);
  const assistant = await createAssistant(organization.org_id, { name: 'Shop', hourly_rate_limit: 100 }, context);
  return { clock, store, context, organization, assistant };
}

describe('an organization', () => {
  test('has the plan free by default, and its own id', async () => {
    const { context } = await setUp();
    expect(await createOrganization({ name: 'Beta' }, context)).toEqual({
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
    const { context } = await setUp();
    expect(await refusedWith(createOrganization(input, context))).toEqual([400, expect.stringContaining(message)]);
  });

  test('keeps settings that a change does not name', async () => {
    const { context, organization } = await setUp('free');
    expect(await updateOrganization(organization.org_id, { plan: 'paid' }, context)).toEqual({
      ...organization,
      plan: 'paid',
    });
    expect(await refusedWith(updateOrganization('org_nobody', {}, context))).toEqual([
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
    const { context, organization } = await setUp();
    const input = { ...NEW, ...settings };
    expect((await createAssistant(organization.org_id, input, context)).allowed_domains).toEqual(allowed_domains);
  });

  test('has hosts and addresses normalized when it is created and when it is saved', async () => {
    const { context, organization, assistant } = await setUp();
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
    expect(await createAssistant(organization.org_id, { ...NEW, ...settings }, context)).toMatchObject(expected);
    expect(await updateAssistant(assistant.site_id, settings, context)).toMatchObject(expected);
    expect(await updateAssistant(assistant.site_id, { domain: '  ' }, context)).toMatchObject({
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
    const { context, organization } = await setUp();
    const refused = createAssistant(organization.org_id, { ...NEW, ...changes }, context);
    expect(await refusedWith(refused)).toEqual([400, expect.stringMatching(new RegExp(`^${message}.+`))]);
  });

  test('of an unknown organization is refused', async () => {
    const { context } = await setUp();
    const refused = createAssistant('org_nobody', NEW, context);
    expect(await refusedWith(refused)).toEqual([404, 'org_id: no organization org_nobody']);
  });

  test('keeps settings that a change does not name, and increases the version', async () => {
    const { context, assistant, clock } = await setUp();
    clock.advance(1000);
    const changed = await updateAssistant(
      assistant.site_id,
      { enabled: false, allowed_domains: ['a.example'] },
      context,
    );
    expect(changed).toEqual({
      ...assistant,
      enabled: false,
      allowed_domains: ['a.example'],
      updated_at: '2026-03-04T05:06:08.250Z',
      version: 2,
    });
    expect(await updateAssistant(assistant.site_id, { name: 'New' }, context)).toMatchObject({
      name: 'New',
      enabled: false,
      allowed_domains: ['a.example'],
    });
  });

  const optional = Object.entries(ASSISTANT_SETTINGS)
    .filter(([, setting]) => setting.safeParse(undefined).success)
    .map(([name, setting]) => [name, [['set'], 'set', 7, true].find((value) => setting.safeParse(value).success)]);

  test.each(optional)(
    'null removes the optional setting %s, and a change of something else keeps %j',
    async (name, value) => {
      const { assistant, context, store } = await setUp();
      // Without it, add a value that the new setting takes to the list above.
      expect(value).toBeDefined();
      const set = Object.assign({ ...assistant, version: 2 }, { [String(name)]: value });
      await store.replaceAssistant(assistant, set, OPERATOR_AUTHOR);
      expect(await updateAssistant(assistant.site_id, { name: 'New' }, context)).toMatchObject({
        [String(name)]: value,
      });
      const changed = await updateAssistant(assistant.site_id, { [String(name)]: null }, context);
      expect(Object(changed)[String(name)]).toBeUndefined();
    },
  );

  test('that was saved in the meantime is not overwritten', async () => {
    const { context, assistant, store } = await setUp();
    const slow = { ...context, store: { ...store, findAssistant: async () => assistant } };
    await updateAssistant(assistant.site_id, { name: 'Theirs' }, context);
    expect((await refusalOf(updateAssistant(assistant.site_id, { name: 'Mine' }, slow))).status).toBe(409);
    expect((await store.findAssistant(assistant.site_id))?.name).toBe('Theirs');
  });

  test('that does not exist cannot be changed', async () => {
    const { context } = await setUp();
    expect(await refusedWith(updateAssistant('site_nobody', {}, context))).toEqual([
      404,
      'site_id: no assistant site_nobody',
    ]);
  });
});

describe('Session Signed', () => {
  const signed = { authentication_mode: 'Session Signed' };

  test('cannot be selected on the free plan', async () => {
    const { context, organization, assistant } = await setUp('free');
    const created = createAssistant(organization.org_id, { ...NEW, ...signed }, context);
    expect(await refusedWith(created)).toEqual([400, expect.stringMatching(/^authentication_mode: .*paid/)]);
    expect(await refusedWith(updateAssistant(assistant.site_id, signed, context))).toEqual([
      400,
      expect.stringMatching(/^authentication_mode: .*paid/),
    ]);
  });

  test('keeps working after a downgrade, but cannot be selected again', async () => {
    const { context, organization, assistant } = await setUp('paid');
    await updateAssistant(assistant.site_id, signed, context);
    await updateOrganization(organization.org_id, { plan: 'free' }, context);
    expect(await updateAssistant(assistant.site_id, { ...signed, name: 'Renamed' }, context)).toMatchObject({
      ...signed,
      name: 'Renamed',
    });
    await updateAssistant(assistant.site_id, { authentication_mode: 'Allowed Websites' }, context);
    expect((await refusalOf(updateAssistant(assistant.site_id, signed, context))).status).toBe(400);
  });
});

describe('the server secret', () => {
  async function signedSetUp() {
    const all = await setUp('paid');
    await updateAssistant(all.assistant.site_id, { authentication_mode: 'Session Signed' }, all.context);
    return { ...all, siteId: all.assistant.site_id };
  }

  test('is returned once and stored as its hash with the last six characters', async () => {
    const { context, siteId, store } = await signedSetUp();
    const { serverSecret, assistant } = await generateServerSecret(siteId, { regenerate: false }, context);
    expect(siteOfServerSecret(serverSecret)).toBe(siteId);
    const stored = await store.findAssistant(siteId);
    expect(stored).toEqual(assistant);
    expect(stored?.server_secret?.last_six).toBe(serverSecret.slice(-6));
    expect(serverSecretMatches(stored?.server_secret, serverSecret)).toBe(true);
    expect(JSON.stringify(store.items())).not.toContain(serverSecret);
  });

  test('is replaced only on request, and then the old secret is refused', async () => {
    const { context, siteId, store } = await signedSetUp();
    const first = await generateServerSecret(siteId, { regenerate: false }, context);
    expect((await refusalOf(generateServerSecret(siteId, { regenerate: false }, context))).status).toBe(409);
    const second = await generateServerSecret(siteId, { regenerate: true }, context);
    const stored = (await store.findAssistant(siteId))?.server_secret;
    expect(serverSecretMatches(stored, first.serverSecret)).toBe(false);
    expect(serverSecretMatches(stored, second.serverSecret)).toBe(true);
  });

  test('is kept when settings change', async () => {
    const { context, siteId } = await signedSetUp();
    const { assistant } = await generateServerSecret(siteId, { regenerate: false }, context);
    expect((await updateAssistant(siteId, { name: 'New' }, context)).server_secret).toEqual(assistant.server_secret);
  });

  test('is generated first when Session Signed is selected, also when it is not saved, and regenerated at any time', async () => {
    const { context, assistant } = await setUp('paid');
    const { site_id } = assistant;
    const refused = generateServerSecret(site_id, { regenerate: true }, context);
    expect(await refusedWith(refused)).toEqual([400, expect.stringMatching(/^authentication_mode: /)]);
    const selected = { regenerate: false, authentication_mode: 'Session Signed' } as const;
    const first = await generateServerSecret(site_id, selected, context);
    expect(first.assistant.authentication_mode).toBe('Allowed Websites');
    const second = await generateServerSecret(site_id, { regenerate: true }, context);
    expect(second.serverSecret).not.toBe(first.serverSecret);
  });

  test('is not generated on a free account, where Session Signed cannot be selected', async () => {
    const { context, assistant } = await setUp('free');
    const selected = { regenerate: false, authentication_mode: 'Session Signed' } as const;
    expect((await refusalOf(generateServerSecret(assistant.site_id, selected, context))).code).toBe('paid_feature');
  });
});

describe('escalation topics', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:va-wave-escalation-shop';

  test('are set, and kept when settings change', async () => {
    const { context, assistant } = await setUp();
    await setByOperator(assistant.site_id, 'escalation_topics', [topic], context);
    expect((await updateAssistant(assistant.site_id, { name: 'New' }, context)).escalation_topics).toEqual([topic]);
  });

  test.each([
    'arn:aws:sns:eu-central-1:123456789012:alarms',
    'arn:aws:sqs:eu-central-1:123456789012:va-wave-escalation-shop',
    'arn:aws:sns:eu-central-1:123456789012:va-wave-escalation-shop:sub',
    'va-wave-escalation-shop',
  ])('%p is refused', async (wrong) => {
    const { context, assistant } = await setUp();
    expect(await refusedWith(setByOperator(assistant.site_id, 'escalation_topics', [topic, wrong], context))).toEqual([
      400,
      expect.stringMatching(/^escalation_topics\.1: /),
    ]);
  });
});
