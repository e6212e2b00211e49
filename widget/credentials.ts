import type { VaWaveCredential } from './va-wave.d.ts';

/** The widget's credentials: a site id or a session token. The token takes precedence. The visitor can see both. */
export type Credentials = {
  readonly siteId: () => string;
  readonly token: () => string | undefined;
  readonly headers: () => VaWaveCredential;
  readonly setToken: (token: string) => void;
};

export function credentials(initial: {
  readonly siteId: string | undefined;
  readonly token: string | undefined;
}): Credentials {
  let token = initial.token;
  return {
    siteId: () => (token ? siteOfToken(token) : initial.siteId) ?? '',
    token: () => token,
    headers: () => (token ? { 'X-Session-Token': token } : { 'X-Site-Id': initial.siteId ?? '' }),
    setToken: (next) => {
      token = next;
    },
  };
}

/** Returns the unverified `site_id` of a token's payload. It only selects the assistant whose CORS setting applies. */
function siteOfToken(token: string): string | undefined {
  try {
    const payload = token.split('.')[1] ?? '';
    const { site_id } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
    return typeof site_id === 'string' ? site_id : undefined;
  } catch {
    return undefined;
  }
}
