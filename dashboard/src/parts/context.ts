import { createContext, useContext } from 'react';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import type { Api } from '../session/api.ts';
import type { Secret } from './shown-once.tsx';

export type Organization = DashboardAnswer<'me'>['organizations'][number];

/** The context of every screen. */
export type Context = {
  readonly api: Api;
  readonly organization: Organization;
  /** Whether the user may change settings. The API enforces this; the page only hides buttons that it would refuse. */
  readonly isAdmin: boolean;
  /** Shows a success message. */
  readonly notify: (text: string) => void;
  /** Shows a new server secret above every screen, until the user confirms that it is stored. */
  readonly showSecret: (secret: Secret) => void;
  /** Shows an error message. For an ended session, asks for a new login. */
  readonly report: (error: unknown) => void;
};

export const DashboardContext = createContext<Context | undefined>(undefined);

export function useDashboard(): Context {
  const context = useContext(DashboardContext);
  if (context === undefined) throw new Error('useDashboard needs a DashboardContext around the screen');
  return context;
}
