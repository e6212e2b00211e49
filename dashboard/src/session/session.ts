import { ErrorResponse, User, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { ROOT } from '../navigation.ts';
import { REQUEST_TIMEOUT_MS } from './problems.ts';

const CALLBACK_PATH = `${ROOT}callback`;
/** Where the browser keeps the random id of the last logout in any of its tabs. */
const LAST_LOGOUT_KEY = 'va-wave.logout';

export type LoginSession = {
  /** Resolves to an access token; undefined when the session has ended. Rejects without a connection to the login that it needs. */
  readonly accessToken: () => Promise<string | undefined>;
  /** Resolves to a new access token after the API has refused the last one; undefined when the session has ended. */
  readonly renewedToken: () => Promise<string | undefined>;
  /** Leaves the page for the login, which returns to the same screen. */
  readonly login: () => Promise<void>;
  /** Ends the session in all tabs of the browser and at the login, and leaves the page. */
  readonly logout: () => Promise<void>;
  /** Resolves when a logout ends the session, in this tab or in another one. */
  readonly whenEnded: Promise<void>;
};

/** The configuration that the stack serves next to the page. */
export type Config = { readonly issuer: string; readonly client_id: string; readonly scope: string };

/** Loads the configuration. @throws Error when it does not exist, and when there is no answer within 60 seconds */
export async function loadConfig(): Promise<Config> {
  const response = await fetch(`${ROOT}config.json`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!response.ok) throw new Error('The dashboard is not configured.');
  return response.json();
}

/** Thrown for the return of a login that this tab has not begun, or has finished before. */
class ForeignLogin extends Error {
  override readonly name = 'ForeignLogin';
}

export function loginProblem(error: unknown): string {
  if (error instanceof ForeignLogin) return 'The login did not begin in this tab, or is finished already. Try again.';
  if (error instanceof ErrorResponse)
    return `The login says: ${error.error_description ?? error.error}. Try again, or contact the operator.`;
  return 'The dashboard could not reach the login, or the login took too long. Try again. If the login fails again, contact the operator.';
}

/** An authorization code with PKCE: no token is in a URL. @returns undefined while the browser goes to the login */
export async function openLoginSession(config: Config): Promise<LoginSession | undefined> {
  const store = new WebStorageStateStore({ store: window.sessionStorage });
  const lastLogout = () => window.localStorage.getItem(LAST_LOGOUT_KEY) ?? '';
  const logoutAtStart = lastLogout();
  // The id is part of the names in the storage: a session from before a logout is not found, also in a tab that did not run then and is opened again.
  const prefix = `oidc.${logoutAtStart}`;
  /** Whether a logout in any tab has ended the session. No token is given from then on. */
  const isOver = () => lastLogout() !== logoutAtStart;
  const manager = new UserManager({
    authority: config.issuer,
    client_id: config.client_id,
    scope: config.scope,
    redirect_uri: `${window.location.origin}${CALLBACK_PATH}`,
    response_type: 'code',
    userStore: new WebStorageStateStore({ store: window.sessionStorage, prefix }),
    stateStore: store,
    automaticSilentRenew: false,
    // A logout does not wait longer for a connection that hangs.
    requestTimeoutInSeconds: 10,
    loadUserInfo: false,
    // Cognito refuses to revoke an access token; it ends with its refresh token.
    revokeTokenTypes: ['refresh_token'],
  });
  const login = () => manager.signinRedirect({ state: window.location.pathname + window.location.search });

  if (window.location.pathname === CALLBACK_PATH) {
    const begunHere = await store.get(new URLSearchParams(window.location.search).get('state') ?? '');
    if (begunHere !== null) await finishLogin(manager);
    else if ((await manager.getUser()) === null) throw new ForeignLogin();
    // This tab is logged in already, and has only opened the address of the return again.
    else window.history.replaceState(null, '', ROOT);
  }
  // A duplicate of this tab has the same refresh token, which only one of them can use: that one sends the others the next tokens.
  const renewals = new BroadcastChannel('va-wave.renewal');
  renewals.onmessage = async ({ data: { used, user } }) => {
    if ((await manager.getUser())?.refresh_token === used) await manager.storeUser(User.fromStorageString(user));
  };
  // Concurrent requests share one renewal, because a renewal replaces the refresh token.
  let pendingRenewal: ReturnType<typeof renew> | undefined;
  const renewedToken = async () => {
    if (isOver()) return undefined;
    pendingRenewal ??= renew(manager, renewals).finally(() => {
      pendingRenewal = undefined;
    });
    const token = await pendingRenewal;
    return isOver() ? undefined : token;
  };
  const { promise: whenEnded, resolve: resolveEnded } = Promise.withResolvers<void>();
  const endSession = async () => {
    resolveEnded();
    // Otherwise a renewal that is in progress would store the next tokens after the revocation of these.
    await pendingRenewal?.catch(() => undefined);
    await manager.revokeTokens().catch(() => undefined);
    await manager.removeUser();
  };
  // A page that comes back from the cache of the browser has not got the event of the storage.
  for (const event of ['storage', 'pageshow']) window.addEventListener(event, () => void (isOver() && endSession()));
  const session: LoginSession = {
    accessToken: async () => {
      const user = isOver() ? null : await manager.getUser();
      return user?.expired === true ? renewedToken() : user?.access_token;
    },
    renewedToken,
    whenEnded,
    login,
    logout: async () => {
      const endpoint = await manager.metadataService.getEndSessionEndpoint();
      window.localStorage.setItem(LAST_LOGOUT_KEY, crypto.randomUUID());
      await endSession();
      // Cognito requires these parameter names and does not know the standard ones.
      const query = new URLSearchParams({ client_id: config.client_id, logout_uri: window.location.origin + ROOT });
      window.location.assign(`${endpoint}?${query}`);
    },
  };
  if ((await manager.getUser()) !== null) return session;
  await login();
  return undefined;
}

async function finishLogin(manager: UserManager): Promise<void> {
  const { state } = await manager.signinRedirectCallback();
  const path = typeof state === 'string' && state.startsWith(ROOT) && state !== CALLBACK_PATH ? state : ROOT;
  window.history.replaceState(null, '', path);
}

/** Returns a new access token; undefined when the login gives none. @throws TypeError without a connection, Error when the login fails */
async function renew(manager: UserManager, renewals: BroadcastChannel): Promise<string | undefined> {
  const user = await manager.getUser();
  // Without a refresh token the library would use a frame. Neither Cognito nor the local login allows that.
  if (user?.refresh_token === undefined) return undefined;
  try {
    const renewedUser = await manager.signinSilent();
    renewals.postMessage({ used: user.refresh_token, user: renewedUser?.toStorageString() });
    return renewedUser?.access_token;
  } catch (error) {
    // Only the login decides that the session has ended, by a code of RFC 6749, section 5.2. After any other failure, the refresh token stays valid.
    if (error instanceof ErrorResponse && /^(invalid|unauthorized|unsupported)_/.test(error.error ?? ''))
      return undefined;
    throw error;
  }
}
