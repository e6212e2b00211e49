import { TopNavigation } from '@cloudscape-design/components';
import { useSyncExternalStore } from 'react';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { onEvent, paths, ROOT } from '../navigation.ts';
import { nameAmong, type OrganizationView } from './context.ts';

/** Leads to the screens of the organization and to the other organizations of the user, and has the theme and the logout. */
export function TopBar(props: {
  readonly me: DashboardAnswer<'me'> | undefined;
  readonly organization: OrganizationView | undefined;
  readonly onLogout: () => void;
}) {
  const { me, organization, onLogout } = props;
  const theme = useSyncExternalStore(subscribe, () => window.localStorage.getItem(THEME_KEY) ?? 'system');
  const link = (text: string, href: string) => ({ type: 'button' as const, text, href });
  const email = (organization ?? me?.organizations[0])?.email;
  const account = {
    type: 'menu-dropdown' as const,
    text: email ?? 'Account',
    ariaLabel: email === undefined ? 'Account' : `Account of ${email}`,
    iconName: 'user-profile' as const,
    items: [
      {
        text: 'Theme',
        items: THEMES.map(({ id, text }) => ({ id, text, itemType: 'checkbox' as const, checked: id === theme })),
      },
      { id: 'logout', text: 'Log out' },
    ],
    onItemClick: ({ detail: { id } }: { detail: { id: string } }) => {
      if (id === 'logout') onLogout();
      else chooseTheme(id);
    },
  };
  const linksOfOrganization = ({ org_id, name, role }: OrganizationView, all: readonly OrganizationView[]) => [
    link('Members', paths.members(org_id)),
    ...(role === 'admin' ? [link('Audit trail', paths.audit(org_id))] : []),
    {
      type: 'menu-dropdown' as const,
      text: name,
      ariaLabel: `Organization ${name}`,
      items: all.map((one) => ({
        id: one.org_id,
        text: `${nameAmong(one, all)}, ${one.role}`,
        href: paths.organization(one.org_id),
      })),
    },
  ];
  return (
    <TopNavigation
      identity={{
        title: 'va-wave',
        href: organization === undefined ? ROOT : paths.organization(organization.org_id),
      }}
      utilities={
        me === undefined
          ? []
          : [...(organization === undefined ? [] : linksOfOrganization(organization, me.organizations)), account]
      }
    />
  );
}

/** The themes by the value that public/theme.js reads. */
const THEMES = [
  { id: 'system', text: 'As the system' },
  { id: 'light', text: 'Light' },
  { id: 'dark', text: 'Dark' },
] as const;

const THEME_KEY = 'va-wave.theme';
/** Another tab may choose the theme. */
const subscribe = onEvent(window, 'storage');

/** Applies a theme to all tabs of this browser, and keeps it. */
function chooseTheme(theme: string): void {
  window.localStorage.setItem(THEME_KEY, theme);
  // The browser sends the event to the other tabs only.
  window.dispatchEvent(new StorageEvent('storage'));
}
