import type { REFUSALS } from '../src/contract/errors.ts';

type Message = (typeof REFUSALS)[keyof typeof REFUSALS]['message'];

/** What the page's developer can do about an answer. Shown with data-debug only, never to visitors. */
const ADVICE: { readonly [M in Message]?: string } = {
  'Origin not in allowed domains':
    "Add this page's host to the assistant's Allowed Domains; subdomains count as hosts of their own.",
  'Site has no allowed domains configured': "Add this page's host to the assistant's Allowed Domains.",
  'Origin or Referer header required for safelist auth':
    'Serve the page over http or https, outside a sandboxed frame.',
  'This site requires session token authentication':
    'Have your server mint a token and render it as data-session-token.',
  'Widget site is disabled': 'Switch Assistant Status on.',
  'Widget site not found': 'Check data-site-id.',
  'X-Site-Id or X-Session-Token header required': 'Set data-site-id or data-session-token on the script tag.',
  'Invalid or expired session token':
    'Mint a new token for each page; to renew an open page, call vaWave.setSessionToken().',
  'Access denied: IP not in allowlist': "Add this visitor's address to the IP allowlist, or empty the list.",
  'Rate limit exceeded': "Wait, or raise the assistant's Rate Limit.",
};

/** Logs one line per failed request. Silent unless the tag says data-debug="true". */
export function debugLog(enabled: boolean) {
  return (what: string, status: number, message: string): void => {
    if (!enabled) return;
    const advice =
      status === 0
        ? "No readable answer: the network failed, or the browser blocked it. Check that the assistant's Domain is this page's host, and the page's connect-src."
        : (Object.entries(ADVICE).find(([known]) => known === message)?.[1] ?? '');
    console.warn(`[va-wave] ${what} failed: HTTP ${status} ${message}. ${advice}`);
  };
}
