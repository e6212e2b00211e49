import type { DashboardAnswer, DashboardBody } from '../../../src/contract/dashboard.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATIONS,
  type DashboardOperation,
} from '../../../src/contract/dashboard-operations.ts';
import { ApiError, apiError, REQUEST_TIMEOUT_MS } from './problems.ts';
import type { LoginSession } from './session.ts';

type Input<O extends DashboardOperation> =
  DashboardBody<O> extends undefined ? { readonly body?: undefined } : { readonly body: DashboardBody<O> };

export type Ids = { readonly org_id?: string; readonly site_id?: string; readonly action_id?: string };

export type Api = <O extends DashboardOperation>(
  operation: O,
  ids: Ids,
  input: Input<O> & { readonly query?: Readonly<Record<string, string>> },
) => Promise<DashboardAnswer<O>>;

/** Renews a refused token once. @throws ApiError, login_required after the session; TypeError without a connection */
export function dashboardApi(session: LoginSession): Api {
  return async (operation, ids, { body, query }) => {
    const { method, path } = DASHBOARD_OPERATIONS[operation];
    const idsByName = new Map<string, string>(Object.entries(ids));
    const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(idsByName.get(name) ?? ''));
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const sessionEnded = () => new ApiError(401, { code: 'login_required', error: 'your session has ended' });
    const send = (token: string | undefined) => {
      if (token === undefined) throw sessionEnded();
      return fetch(`${DASHBOARD_API_PATH}${filledPath}${search}`, {
        method,
        // The cookies of the domain are none of the API's.
        credentials: 'omit',
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
    };
    let response = await send(await session.accessToken());
    if (response.status === 401) response = await send(await session.renewedToken());
    if (response.status === 401) throw sessionEnded();
    if (!response.ok) throw await apiError(response);
    return response.json();
  };
}
