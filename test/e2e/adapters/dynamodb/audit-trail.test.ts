import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import type { Membership } from '../../../../src/contract/organizations.ts';
import { createAction } from '../../../../src/domain/actions/manage-actions.ts';
import { StaleVersion, saveAt } from '../../../../src/domain/organizations/changes.ts';
import {
  assistantOf,
  createAssistant,
  updateAssistant,
} from '../../../../src/domain/organizations/manage-assistants.ts';
import { ORG_ID } from '../../../fakes/configuration.ts';
import { refusedWith } from '../../../fakes/refusals.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';
import { atOnce, tablesOfFile } from './tables.ts';

const tables = await tablesOfFile();
const clock = new FrozenClock();
const admin: Membership = {
  org_id: ORG_ID,
  sub: 'anna',
  email: 'anna@shop.example',
  role: 'admin',
  created_at: '2026-01-01T00:00:00.000Z',
};

const store = configurationStore(tables.client, tables.sorted);
await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'paid', created_at: admin.created_at });

const sealSigningSecret = async (secret: string) => `sealed ${secret.length}`;
const ports = { store, sealSigningSecret, now: clock.now, randomBytes: countingBytes() };
const audit = async () => (await store.auditPage(ORG_ID)).records;
const settings = { name: 'Website', hourly_rate_limit: 10 };
const form = {
  trigger: 'Form',
  name: 'Contact us',
  url: 'https://crm.example/',
  form_fields: [{ key: 'email', label: 'Email', type: 'Email', required: true }],
};
const by = (creationKey: string) => ({ ...ports, author: { by: admin, at: clock.now(), creationKey } });
const create = (key: string) => createAssistant(ORG_ID, settings, by(key));

test('concurrent creations with one key make one assistant and one form, with one record each', async () => {
  const sites = await atOnce(20, () => create('race'));
  const site_id = sites[0]?.site_id ?? '';
  const forms = await atOnce(10, () => createAction(site_id, form, by('form')));
  expect([new Set(sites.map((one) => one.site_id)).size, new Set(forms.map((one) => one.action_id)).size]).toEqual([
    1, 1,
  ]);
  expect(await audit()).toHaveLength(2);
  expect(await store.listAssistants(ORG_ID)).toHaveLength(1);
  // The form has the slug.
  expect((await refusedWith(createAction(site_id, form, by('another'))))[0]).toBe(409);
});

test('one of ten saves of one version succeeds, and only that one is recorded', async () => {
  // The trail is sorted by time first.
  clock.advance(1000);
  const { site_id } = await create('saves');
  const before = (await audit()).length;
  const saves = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) =>
      saveAt(
        1,
        () => assistantOf(admin, site_id, ports),
        (seen) => updateAssistant(seen, { name: `Name ${i}` }, { ...ports, author: { by: admin, at: clock.now() } }),
      ),
    ),
  );
  expect(saves.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const save of saves) if (save.status === 'rejected') expect(save.reason).toBeInstanceOf(StaleVersion);
  const records = await audit();
  expect(records).toHaveLength(before + 1);
  expect(records[0]).toMatchObject({
    operation: 'update_assistant',
    fields: ['name'],
    version: 2,
    entity_id: site_id,
  });
});
