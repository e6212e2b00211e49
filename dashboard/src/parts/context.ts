import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import type { Api } from '../session/api-client.ts';
import type { Secret } from './dialogs.tsx';

export type OrganizationView = DashboardAnswer<'me'>['organizations'][number];

/** Returns the name of an organization of the user; with its id when another one has the same name. */
export const nameAmong = ({ org_id, name }: OrganizationView, all: readonly OrganizationView[]): string =>
  all.some((other) => other.name === name && other.org_id !== org_id) ? `${name} (${org_id})` : name;

/** What every screen gets from the frame (app.tsx). */
export type DashboardScreenContext = {
  readonly api: Api;
  readonly sub: string;
  readonly organization: OrganizationView;
  /** Whether the user may change settings. The API enforces this; the page only hides buttons whose requests the API would refuse. */
  readonly isAdmin: boolean;
  readonly notify: (text: ReactNode) => void;
  /** Shows a new server secret above every screen, until the user confirms that it is stored. */
  readonly showSecret: (secret: Secret) => void;
  /** Shows an error message. After the end of a session, the page asks for a new login instead. */
  readonly report: (error: unknown) => void;
};

export const ScreenContext = createContext<DashboardScreenContext | undefined>(undefined);

/** Returns the context of the screen. @throws Error outside a screen */
export function useDashboard(): DashboardScreenContext {
  const context = useContext(ScreenContext);
  if (context === undefined) throw new Error('useDashboard needs a ScreenContext around the screen');
  return context;
}

/** Returns whether work is running for which the user waits, and a function that runs such work and reports its failure. */
export function useWork(): readonly [boolean, (work: () => Promise<void>) => Promise<void>] {
  const { report } = useDashboard();
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      report(error);
    } finally {
      setBusy(false);
    }
  };
  return [busy, run];
}

/** Sets the title of the page, which the browser shows and screen readers announce. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · va-wave`;
  }, [title]);
}
