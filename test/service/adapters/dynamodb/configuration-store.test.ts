import { randomBytes } from 'node:crypto';
import { configurationReads } from '../../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { erasure } from '../../../../src/adapters/dynamodb/erasure.ts';
import type { AiAction, FormAction } from '../../../../src/contract/actions.ts';
import type { Assistant } from '../../../../src/contract/assistants.ts';
import type { Membership } from '../../../../src/contract/organizations.ts';
import { StaleVersion, saveAt } from '../../../../src/domain/organizations/changes.ts';
import {
  assistantOf,
  createAssistant,
  updateAssistant,
} from '../../../../src/domain/organizations/manage-assistants.ts';
import { newEntityId } from '../../../../src/domain/sources.ts';
import { aFormAction, anAiAction, anAssistant, anEventAction, OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { mustRead } from '../../../fakes/delivery.ts';
import { refusedWith } from '../../../fakes/refusals.ts';
import { createAction } from '../../../fakes/saves.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { atOnce, recorded, tablesOfFile } from './tables.ts';

const tables = await tablesOfFile();
const store = configurationStore(tables.client, tables.sorted);
const reads = configurationReads(tables.client, tables.sorted);

/** Creates an organization with one assistant for a test. */
async function organization(changes: Partial<Assistant> = {}) {
  const org_id = newEntityId('org', randomBytes);
  await store.createOrganization({ org_id, name: 'Acme', plan: 'paid', created_at: '2026-01-01T00:00:00.000Z' });
  const assistant = anAssistant({ site_id: newEntityId('site', randomBytes), org_id, ...changes });
  await store.createAssistant(assistant, 100, OPERATOR_AUTHOR);
  const mine = () => ({ action_id: newEntityId('act', randomBytes), org_id, site_id: assistant.site_id });
  return { org_id, assistant, mine };
}

const tally = (words: readonly string[]) =>
  Object.fromEntries([...new Set(words)].sort().map((word) => [word, words.filter((one) => one === word).length]));

describe('the assistants of an organization', () => {
  const another = (org_id: string) => anAssistant({ site_id: newEntityId('site', randomBytes), org_id });

  test('are exactly as many as it may have, also when they are created at the same time', async () => {
    const { org_id } = await organization();
    const results = await atOnce(8, () => store.createAssistant(another(org_id), 5, OPERATOR_AUTHOR));
    expect(tally(results)).toEqual({ created: 4, organization_refused: 4 });
    expect((await store.listAssistants(org_id)).assistants).toHaveLength(5);
    expect(await store.createAssistant(another(org_id), 6, OPERATOR_AUTHOR)).toBe('created');
  });

  test('make room again when one is deleted', async () => {
    const { org_id, assistant } = await organization();
    expect(await store.createAssistant(another(org_id), 1, OPERATOR_AUTHOR)).toBe('organization_refused');
    const { sorted, unsorted } = tables;
    const names = { configuration: sorted, counters: unsorted, conversations: sorted, deliveryLog: sorted };
    await erasure(tables.client, names, mustRead).removeAssistant(assistant);
    expect(await store.createAssistant(another(org_id), 1, OPERATOR_AUTHOR)).toBe('created');
  });

  test('are listed in pages of 50, each with one call', async () => {
    const { org_id } = await organization();
    for (let count = 1; count < 120; count++) await store.createAssistant(another(org_id), 1000, OPERATOR_AUTHOR);
    const { client, calls } = recorded(tables.client);
    const { assistants: listed } = await configurationStore(client, tables.sorted).listAssistants(org_id);
    expect(new Set(listed.map(({ site_id }) => site_id)).size).toBe(120);
    expect(calls).toEqual(Array(3).fill(['query', 'batchGet']).flat());
  });
});

describe('organizations', () => {
  test('keep both of two concurrent changes', async () => {
    const { org_id } = await organization();
    await Promise.all([
      store.changeOrganization(org_id, { suspended: true }, OPERATOR_AUTHOR),
      store.changeOrganization(org_id, { daily_outbound_quota: 7 }, OPERATOR_AUTHOR),
      store.changeOrganization(org_id, { plan: 'free' }, OPERATOR_AUTHOR),
    ]);
    expect(await store.findOrganization(org_id)).toMatchObject({
      suspended: true,
      daily_outbound_quota: 7,
      plan: 'free',
    });
  });

  test('that do not exist are not changed', async () => {
    await expect(store.changeOrganization('org_nobody', { name: 'B' }, OPERATOR_AUTHOR)).rejects.toThrow(
      'The condition of a write',
    );
    expect(await store.findOrganization('org_nobody')).toBeUndefined();
  });

  test('that are erased get no new items', async () => {
    expect(
      await store.createAssistant(anAssistant({ org_id: 'org_gone', site_id: 'site_gone' }), 100, OPERATOR_AUTHOR),
    ).toBe('organization_refused');
  });
});

describe('assistants', () => {
  test('are found by their current Domain only', async () => {
    const domain = `${newEntityId('org', randomBytes).replace('_', '-')}.example`;
    const { assistant } = await organization({ domain });
    expect(await reads.anyDomain([domain, `${domain}:443`])).toBe(true);
    expect(await reads.anyDomain([`www.${domain}`, `${domain}:443`])).toBe(false);
    const moved = { ...assistant, domain: `${domain}:8443`, version: 2 };
    await store.replaceAssistant(assistant, moved, OPERATOR_AUTHOR);
    expect(await reads.anyDomain([domain])).toBe(false);
    expect(await reads.anyDomain([domain, `${domain}:8443`])).toBe(true);
    await store.replaceAssistant(moved, { ...moved, domain: '', version: 3 }, OPERATOR_AUTHOR);
    expect(await reads.anyDomain([domain, `${domain}:8443`])).toBe(false);
  });

  test('can share a Domain', async () => {
    const domain = `${newEntityId('org', randomBytes).replace('_', '-')}.example`;
    const { assistant } = await organization({ domain });
    await organization({ domain });
    await store.replaceAssistant(assistant, { ...assistant, domain: '', version: 2 }, OPERATOR_AUTHOR);
    expect(await reads.anyDomain([domain])).toBe(true);
  });

  test('keep their Domain when a change is refused', async () => {
    const domain = `${newEntityId('org', randomBytes).replace('_', '-')}.example`;
    const { assistant } = await organization({ domain });
    const stale = { ...assistant, version: 7 };
    expect(
      await store.replaceAssistant(stale, { ...stale, domain: 'stolen.example', version: 8 }, OPERATOR_AUTHOR),
    ).toBe(false);
    expect([await reads.anyDomain([domain]), await reads.anyDomain(['stolen.example'])]).toEqual([true, false]);
  });
});

describe('Actions', () => {
  test('are at most 50, also when 70 are created at the same time, after a change, and after deletions', async () => {
    const { org_id, mine } = await organization();
    const actions = Array.from({ length: 70 }, () => anEventAction(mine()));
    const results = await Promise.all(actions.map((action) => store.createAction(action, OPERATOR_AUTHOR)));
    expect(tally(results)).toEqual({ created: 50, organization_refused: 20 });
    await store.changeOrganization(org_id, { name: 'B', plan: 'free' }, OPERATOR_AUTHOR);
    const doomed = actions.filter((_, index) => results[index] === 'created').slice(0, 10);
    const deleted = await Promise.all(
      [...doomed, ...doomed].map((action) => store.deleteAction(action, OPERATOR_AUTHOR)),
    );
    expect(deleted.filter(Boolean)).toHaveLength(10);
    const more = await atOnce(15, () => store.createAction(anEventAction(mine()), OPERATOR_AUTHOR));
    expect(tally(more)).toEqual({ created: 10, organization_refused: 5 });
    expect((await store.listActions(org_id)).actions).toHaveLength(50);
  });

  test('release their slug when they are renamed, and get the new one unless it is in use', async () => {
    const { mine } = await organization();
    const first = aFormAction({ ...mine(), slug: 'first' });
    const second = aFormAction({ ...mine(), slug: 'second' });
    await store.createAction(first, OPERATOR_AUTHOR);
    await store.createAction(second, OPERATOR_AUTHOR);
    expect(await store.replaceAction(second, { ...second, slug: 'first', version: 2 }, OPERATOR_AUTHOR)).toBe(
      'slug_taken',
    );
    expect(await reads.findForm(first.site_id, 'second')).toEqual(second);
    const renamed = { ...first, slug: 'third', version: 2 };
    expect(await store.replaceAction(first, renamed, OPERATOR_AUTHOR)).toBe('replaced');
    expect(await reads.findForm(first.site_id, 'first')).toBeUndefined();
    expect(await reads.findForm(first.site_id, 'third')).toEqual(renamed);
    expect(await store.replaceAction(second, { ...second, slug: 'first', version: 2 }, OPERATOR_AUTHOR)).toBe(
      'replaced',
    );
  });

  test('are found by id, by organization and by assistant, with all values', async () => {
    const { org_id, assistant, mine } = await organization();
    const event = anEventAction(mine());
    const form = aFormAction(mine());
    const off = aFormAction({ ...mine(), slug: 'off', enabled: false });
    const ai = anAiAction({
      ...mine(),
      parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    });
    for (const action of [event, form, off, ai]) await store.createAction(action, OPERATOR_AUTHOR);
    expect(await store.findActionById(ai.action_id)).toEqual(ai);
    expect(await reads.findAction(org_id, event.action_id)).toEqual(event);
    expect(await reads.findAction('org_other', event.action_id)).toBeUndefined();
    expect(await store.findActionById('act_nobody')).toBeUndefined();
    expect(await store.listActions(org_id)).toEqual({
      actions: expect.arrayContaining([event, form, off, ai]),
      unreadable: [],
    });
    expect(await reads.formsOf(assistant.site_id)).toEqual({ actions: [offered(form)], unreadable: [] });
    expect(await reads.findForm(assistant.site_id, 'off')).toEqual(off);
    expect(await reads.findForm(assistant.site_id, ai.slug)).toBeUndefined();
    expect(await reads.findTool(assistant.site_id, ai.slug)).toEqual(ai);
    expect(await reads.toolsOf(assistant.site_id)).toEqual({ actions: [offered(ai)], unreadable: [] });
    await store.deleteAction(form, OPERATOR_AUTHOR);
    expect(await store.findActionById(form.action_id)).toBeUndefined();
    expect(await reads.findForm(assistant.site_id, form.slug)).toBeUndefined();
    expect(await store.deleteAction(form, OPERATOR_AUTHOR)).toBe(false);
  });

  test('of an organization are all listed over several pages', async () => {
    const { org_id, mine } = await organization();
    const name = 'x'.repeat(60_000);
    await atOnce(30, () => store.createAction(anEventAction({ ...mine(), name }), OPERATOR_AUTHOR));
    expect((await reads.listActions(org_id)).actions).toHaveLength(30);
  });
});

describe('concurrent saves of the dashboard', () => {
  const sources = { now: new FrozenClock().now, randomBytes };
  const auditedStore = configurationStore(tables.client, tables.sorted, sources.now);
  const context = { store: auditedStore, ...sources, sealSigningSecret: async () => 'sealed' };
  const by = (org_id: string, creationKey?: string) => {
    const member: Membership = { org_id, sub: 'anna', email: 'anna@shop.example', role: 'admin', created_at: '' };
    return { ...context, author: { kind: 'admin' as const, membership: member, creationKey } };
  };

  test('with one creation key make one assistant and one form, with one record each', async () => {
    const { org_id } = await organization();
    const settings = { name: 'Website', hourly_rate_limit: 10 };
    const sites = await atOnce(20, () => createAssistant(org_id, settings, by(org_id, 'race')));
    const site_id = sites[0]?.site_id ?? '';
    const form_fields = [{ key: 'email', label: 'Email', type: 'Email', required: true }];
    const form = { trigger: 'Form', name: 'Contact us', url: 'https://crm.example/', form_fields };
    const forms = await atOnce(10, () => createAction(site_id, form, by(org_id, 'form')));
    expect(new Set([...sites.map((one) => one.site_id), ...forms.map((one) => one.action_id)]).size).toBe(2);
    expect((await store.auditPage(org_id)).records).toHaveLength(2);
    expect((await store.listAssistants(org_id)).assistants).toHaveLength(2);
    // The form has the slug.
    expect((await refusedWith(createAction(site_id, form, by(org_id, 'another'))))[0]).toBe(409);
  });

  test('of one version: one of ten succeeds, and only that one is recorded', async () => {
    const { org_id, assistant } = await organization();
    const { author } = by(org_id);
    const save = (name: string) =>
      saveAt(
        1,
        () => assistantOf(author.membership, assistant.site_id, context),
        (seen) => updateAssistant(seen, { name }, { ...context, author }),
      );
    const saves = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => save(`Name ${i}`)));
    const reasons = saves.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(reasons).toEqual(Array(9).fill(expect.any(StaleVersion)));
    const record = { operation: 'update_assistant', fields: ['name'], version: 2, entity_id: assistant.site_id };
    expect((await store.auditPage(org_id)).records).toMatchObject([record]);
  });
});

const offered = ({ sealed_signing_secret, ...action }: FormAction | AiAction) => action;
