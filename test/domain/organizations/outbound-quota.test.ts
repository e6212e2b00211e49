import { actionView } from '../../../src/domain/actions/dashboard-actions.ts';
import { settingsOf } from '../../../src/domain/actions/manage-actions.ts';
import { assistantView } from '../../../src/domain/organizations/dashboard-assistants.ts';
import { setOutboundQuota } from '../../../src/domain/organizations/outbound-quota.ts';
import { setSuspended } from '../../../src/domain/organizations/suspension.ts';
import { anOrganization } from '../../fakes/organization.ts';
import { refusedWith } from '../../fakes/refusals.ts';

test('sets and removes the quota on the organization and on all its assistants and Actions', async () => {
  const { ports, parts, org_id } = await anOrganization();
  expect(await setOutboundQuota(org_id, 500, ports)).toEqual({
    org_id,
    daily_outbound_quota: 500,
    assistants: 2,
    actions: 2,
  });
  expect(parts().map((part) => part.daily_outbound_quota)).toEqual(Array(5).fill(500));
  expect(await setOutboundQuota(org_id, 500, ports)).toMatchObject({ assistants: 0, actions: 0 });
  expect(await setOutboundQuota(org_id, null, ports)).toMatchObject({ assistants: 2, actions: 2 });
  expect(parts().map((part) => part.daily_outbound_quota)).toEqual(Array(5).fill(null));
});

test('parts that are created or changed later have the quota', async () => {
  const { ports, org_id, assistant, action, rename } = await anOrganization();
  await setOutboundQuota(org_id, 500, ports);
  const created = await assistant();
  const added = await action(created.site_id);
  const renamed = await rename(added.action_id);
  expect([created, added, renamed].map((part) => part.daily_outbound_quota)).toEqual([500, 500, 500]);
});

test('resuming a suspended organization leaves its quota unchanged', async () => {
  const { ports, parts, org_id } = await anOrganization();
  await setOutboundQuota(org_id, 500, ports);
  await setSuspended(org_id, true, ports);
  await setSuspended(org_id, false, ports);
  expect(parts().map((part) => part.daily_outbound_quota)).toEqual(Array(5).fill(500));
});

test('the quota is no setting of an admin, and the dashboard does not show it', async () => {
  const { ports, org_id, assistant, action } = await anOrganization();
  await setOutboundQuota(org_id, 500, ports);
  const site = await assistant();
  const added = await action(site.site_id);
  for (const shown of [settingsOf(added), actionView(added), assistantView(site)]) {
    expect(shown).not.toHaveProperty('daily_outbound_quota');
  }
});

test.each([0, -1, 1.5, Number.NaN, 1_000_000_001])('refuses a quota of %p and changes nothing', async (perDay) => {
  const { ports, parts, org_id } = await anOrganization();
  expect(await refusedWith(setOutboundQuota(org_id, perDay, ports))).toEqual([
    400,
    expect.stringMatching(/^daily_outbound_quota: /),
  ]);
  expect(parts().some((part) => 'daily_outbound_quota' in part)).toBe(false);
});

test('refuses an organization that does not exist', async () => {
  const { ports } = await anOrganization();
  expect((await refusedWith(setOutboundQuota('org_x', 500, ports)))[0]).toBe(404);
});
