import { UserManager, WebStorageStateStore } from 'oidc-client-ts';
import type { Config } from './config.ts';

const ROOT = '/dashboard/';
const CALLBACK = '/dashboard/callback';

/** Thrown when nobody is logged in any more; the page asks for a new login and keeps what was typed. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

export type Session = {
  /** An access token that has not expired. @throws SessionEnded */
  readonly accessToken: () => Promise<string>;
  /** A fresh one, because the API did not take the last. @throws SessionEnded */
  readonly renewedToken: () => Promise<string>;
  /** Leaves the page for the login, which comes back to the same screen. */
  readonly login: () => Promise<void>;
  readonly logout: () => Promise<void>;
};

/**
 * The login of this tab: authorization code with PKCE. Tokens are kept in the tab's own storage and never in a URL.
 * @returns undefined when the browser is on its way to the login
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
  const login = () => manager.signinRedirect({ state: window.location.pathname });

  if (window.location.pathname === CALLBACK) await finishLogin(manager);
  // Several requests at once renew once: a refresh token counts only one time.
  let renewing: Promise<string> | undefined;
  const renewedToken = () => {
    renewing ??= renew(manager).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  const session: Session = {
    accessToken: async () => {
      const user = await manager.getUser();
      if (user === null) throw new SessionEnded();
      return user.expired === true ? renewedToken() : user.access_token;
    },
    renewedToken,
    login,
    logout: async () => {
      const end = await manager.metadataService.getEndSessionEndpoint();
      await manager.revokeTokens().catch(() => undefined);
      await manager.removeUser();
      window.sessionStorage.clear();
      // These two are Cognito's names; the standard ones are unknown to it.
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

async function renew(manager: UserManager): Promise<string> {
  const user = await manager.getUser();
  // Without a refresh token the library would try a frame, which neither login allows.
  const renewed = user?.refresh_token === undefined ? null : await manager.signinSilent().catch(() => null);
  if (renewed === null) throw new SessionEnded();
  return renewed.access_token;
}
