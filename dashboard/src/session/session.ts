import { ErrorResponse, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { ROOT } from '../navigation.ts';

const CALLBACK = `${ROOT}callback`;

export type Session = {
  /** Resolves to an access token; undefined when the session has ended. Rejects without a connection to the login that it needs. */
  readonly accessToken: () => Promise<string | undefined>;
  /** Resolves to a new access token after the API has refused the last one; undefined when the session has ended. */
  readonly renewedToken: () => Promise<string | undefined>;
  /** Leaves the page for the login, which returns to the same screen. */
  readonly login: () => Promise<void>;
  /** Ends the session in this tab and at the login, and leaves the page. */
  readonly logout: () => Promise<void>;
};

/** The configuration that the stack serves next to the page. */
export type Config = { readonly issuer: string; readonly client_id: string; readonly scope: string };

/** Loads the configuration. @throws Error when it does not exist */
export async function loadConfig(): Promise<Config> {
  const response = await fetch(`${ROOT}config.json`);
  if (!response.ok) throw new Error('The dashboard is not configured.');
  return response.json();
}

/**
 * Opens the session of this tab with an authorization code and PKCE. Tokens are in the tab's storage and never in a URL.
 * @returns undefined while the browser goes to the login
 */
export async function openSession(config: Config): Promise<Session | undefined> {
  const store = new WebStorageStateStore({ store: window.sessionStorage });
  const manager = new UserManager({
    authority: config.issuer,
    client_id: config.client_id,
    scope: config.scope,
    redirect_uri: `${window.location.origin}${CALLBACK}`,
    response_type: 'code',
    userStore: store,
    stateStore: store,
    automaticSilentRenew: false,
    loadUserInfo: false,
    revokeTokensOnSignout: true,
  });
  const login = () => manager.signinRedirect({ state: window.location.pathname + window.location.search });

  if (window.location.pathname === CALLBACK) await finishLogin(manager);
  // Concurrent requests share one renewal, because a refresh token is valid only once.
  let renewing: ReturnType<typeof renew> | undefined;
  const renewedToken = () => {
    renewing ??= renew(manager).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  const session: Session = {
    accessToken: async () => {
      const user = await manager.getUser();
      return user?.expired === true ? renewedToken() : user?.access_token;
    },
    renewedToken,
    login,
    logout: async () => {
      const end = await manager.metadataService.getEndSessionEndpoint();
      await manager.revokeTokens().catch(() => undefined);
      await manager.removeUser();
      window.sessionStorage.clear();
      // Cognito requires these parameter names and does not know the standard ones.
      const query = new URLSearchParams({ client_id: config.client_id, logout_uri: window.location.origin + ROOT });
      window.location.assign(`${end}?${query}`);
    },
  };
  if ((await manager.getUser()) !== null) return session;
  await login();
  return undefined;
}

async function finishLogin(manager: UserManager): Promise<void> {
  const { state } = await manager.signinRedirectCallback();
  const path = typeof state === 'string' && state.startsWith(ROOT) && state !== CALLBACK ? state : ROOT;
  window.history.replaceState(null, '', path);
}

/** Returns a new access token; undefined when the login gives none. @throws TypeError without a connection, Error when the login fails */
async function renew(manager: UserManager): Promise<string | undefined> {
  const user = await manager.getUser();
  // Without a refresh token the library would use a frame. Neither Cognito nor the local login allows that.
  if (user?.refresh_token === undefined) return undefined;
  try {
    return (await manager.signinSilent())?.access_token;
  } catch (error) {
    // Only the login decides that the session has ended. Without a connection, the refresh token stays valid.
    if (error instanceof ErrorResponse) return undefined;
    throw error;
  }
}
