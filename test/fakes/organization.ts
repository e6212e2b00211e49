import { createAction } from '../../src/domain/actions/manage-actions.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { InMemoryConfigurationStore } from './configuration-store.ts';
import { updateAction } from './saves.ts';
import { countingBytes, FrozenClock } from './sources.ts';

/** Creates an organization with two assistants and an Action on each. Returns functions that add assistants and Actions to it. */
export async function anOrganization() {
  const store = new InMemoryConfigurationStore();
  const ports = {
    store,
    now: new FrozenClock().now,
    randomBytes: countingBytes(),
    sealSigningSecret: async () => 'sealed',
    step: async () => {},
  };
  const { org_id } = await createOrganization({ name: 'Shop' }, ports);
  const assistant = () => createAssistant(org_id, { name: 'Shop', domain: 'a.example', hourly_rate_limit: 9 }, ports);
  const action = (siteId: string) => {
    const input = { trigger: 'Event', name: 'Tell', url: 'https://crm.example/', events: ['message.sent'] };
    return createAction(siteId, input, ports);
  };
  const rename = (actionId: string) => updateAction(actionId, { name: 'Renamed' }, ports);
  const sites = [await assistant(), await assistant()];
  for (const { site_id } of sites) await action(site_id);
  /** The organization and all assistants and Actions that copy its restrictions. */
  const parts = () => [...store.organizations.values(), ...store.assistants.values(), ...store.actions.values()];
  return { store, ports, org_id, assistant, action, rename, sites, parts };
}
