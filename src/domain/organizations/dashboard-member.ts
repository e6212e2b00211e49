import type { DashboardAnswer } from '../../contract/dashboard.ts';
import type { Membership } from '../../contract/members.ts';
import { assistantLimit } from './manage-assistants.ts';
import type { ConfigurationStore } from './store.ts';

export type WhoAmIPorts = {
  readonly store: Pick<ConfigurationStore, 'findOrganization'>;
  readonly membershipsOf: (sub: string) => Promise<readonly Membership[]>;
};

/** Lists the organizations of a user with the user's role in each. The list is empty for a user without memberships. */
export async function whoAmI(sub: string, ports: WhoAmIPorts): Promise<DashboardAnswer<'me'>> {
  const memberships = await ports.membershipsOf(sub);
  const organizations = await Promise.all(
    memberships.map(async ({ org_id, role, email }) => {
      const organization = await ports.store.findOrganization(org_id);
      return organization === undefined
        ? []
        : [
            {
              org_id,
              name: organization.name,
              plan: organization.plan,
              role,
              email,
              assistant_limit: assistantLimit(organization),
            },
          ];
    }),
  );
  return { sub, organizations: organizations.flat() };
}
