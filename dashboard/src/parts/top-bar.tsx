import { TopNavigation } from '@cloudscape-design/components';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { paths } from '../navigation.ts';
import type { Session } from '../session/session.ts';
import type { Organization } from './context.ts';
import { chooseTheme, THEMES, useTheme } from './theme.ts';

/** Leads to the screens of the organization and to the other organizations of the user, and has the theme and the logout. */
export function TopBar(props: {
  readonly me: DashboardAnswer<'me'> | undefined;
  readonly organization: Organization | undefined;
  readonly session: Session;
  readonly report: (error: unknown) => void;
}) {
  const { me, organization, session, report } = props;
  const theme = useTheme();
  const link = (text: string, href: string) => ({ type: 'button' as const, text, href });
  const email = organization?.email ?? 'Account';
  const account = {
    type: 'menu-dropdown' as const,
    text: email,
    ariaLabel: `Account of ${email}`,
    iconName: 'user-profile' as const,
    items: [
      {
        text: 'Theme',
        items: THEMES.map(({ id, text }) => ({ id, text, itemType: 'checkbox' as const, checked: id === theme })),
      },
      { id: 'logout', text: 'Log out' },
    ],
    onItemClick: ({ detail: { id } }: { detail: { id: string } }) => {
      if (id === 'logout') session.logout().catch(report);
      else chooseTheme(id);
    },
  };
  const ofOrganization = ({ org_id, name, role }: Organization) => [
    link('Members', paths.members(org_id)),
    ...(role === 'admin' ? [link('Audit trail', paths.audit(org_id))] : []),
    {
      type: 'menu-dropdown' as const,
      text: name,
      ariaLabel: `Organization ${name}`,
      items:
        me?.organizations.map((one) => ({
          id: one.org_id,
          text: `${one.name} (${one.role})`,
          href: paths.organization(one.org_id),
        })) ?? [],
    },
  ];
  return (
    <TopNavigation
      identity={{
        title: 'va-wave',
        href: organization === undefined ? '/dashboard/' : paths.organization(organization.org_id),
      }}
      utilities={me === undefined ? [] : [...(organization === undefined ? [] : ofOrganization(organization)), account]}
    />
  );
}
