import { createContext, useContext } from 'react';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import type { Api } from '../session/api.ts';

export type Organization = DashboardAnswer<'me'>['organizations'][number];

/** What every screen is given. */
export type Context = {
  readonly api: Api;
  readonly organization: Organization;
  /** Members look, admins change. The API decides; this only spares a member buttons that would be refused. */
  readonly isAdmin: boolean;
  /** Says that something worked. */
  readonly notify: (text: string) => void;
  /** Shows what went wrong; a session that ended asks for a new login. */
  readonly report: (error: unknown) => void;
};

export const DashboardContext = createContext<Context | undefined>(undefined);

export function useDashboard(): Context {
  const context = useContext(DashboardContext);
  if (context === undefined) throw new Error('No dashboard around this screen');
  return context;
}
