import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import type { Adapter, AdapterFactory, Configuration } from 'oidc-provider';
import * as z from 'zod';
import { messageOf, required } from '../cloud-error.ts';
import { type MachineIdentity, readKept, writeKept } from '../data-folder.ts';
import { type Listener, readBody } from '../listener.ts';
import type { Users } from '../services/user-pools.ts';
import type { Resource } from '../template/stack.ts';

type Client = Resource<'AWS::Cognito::UserPoolClient'>;

const FORM_LIMIT_BYTES = 10_000;
/** The lifetime of the browser's session at Cognito. */
const SESSION_SECONDS = 3600;
const OPENID_SCOPES = ['openid', 'email', 'profile', 'phone'];
/** The name of the resource server inside the provider. */
const RESOURCE = 'urn:one-machine:api';

/**
 * Emulates Cognito's managed login with an OpenID provider. It has the template's client, the code flow with PKCE, and access tokens in
 * Cognito's format.
 * @param service name of the service, which the page shows
 * @param onFault called with errors of the provider itself
 */
export async function serveLogin(
  listener: Listener,
  service: string,
  clients: readonly Client[],
  {
    users,
    logins,
    key,
  }: { readonly users: Users; readonly logins: KeptLogins; readonly key: MachineIdentity['loginKey'] },
  onFault: (error: unknown) => void,
): Promise<void> {
  // The provider is a large package, so it is loaded only for a stack with a login.
  const { default: OidcProvider } = await import('oidc-provider');
  // The provider's own adapter, which it does not export, on a store that is kept.
  const { default: StoreAdapter }: { readonly default: new (model: string, store: KeptLogins) => Adapter } =
    await import(new URL('adapters/memory_adapter.js', import.meta.resolve('oidc-provider')).href);
  const adapter: AdapterFactory = (model) => new StoreAdapter(model, logins);
  const settings = { ...configuration(clients, users, key), adapter };
  const provider = new OidcProvider(`http://${listener.address}`, settings);
  provider.on('server_error', (_, error) => onFault(error));
  const callback = provider.callback();
  const interact = async (uid: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await provider.interactionDetails(request, response);
    if (request.method !== 'POST') return sendHtml(response, 200, loginPage(service, uid, ''));
    const form = new URLSearchParams((await readBody(request, FORM_LIMIT_BYTES))?.toString('utf8') ?? '');
    const email = form.get('email') ?? '';
    const user = users.authenticate(email, form.get('password') ?? '');
    if (user !== undefined) {
      return provider.interactionFinished(request, response, { login: { accountId: user.sub } });
    }
    sendHtml(response, 401, loginPage(service, uid, email, 'Incorrect email or password.'));
  };
  listener.handle((request, response) => {
    const uid = /^\/interaction\/([^/?]+)$/.exec(request.url ?? '')?.[1];
    if (uid === undefined) {
      request.url = withStandardLogout(request.url ?? '/');
      void callback(request, response);
      return;
    }
    interact(uid, request, response).catch((error: unknown) => {
      sendHtml(response, 400, problemPage(messageOf(error)));
    });
  });
}

/** Creates a private key for the tokens of the login, as a JWK. */
export async function newLoginKey(): Promise<MachineIdentity['loginKey']> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return exportJWK(privateKey);
}

function configuration(clients: readonly Client[], users: Users, key: MachineIdentity['loginKey']): Configuration {
  const signingKey = { ...key, kty: 'RSA' as const, use: 'sig', alg: 'RS256' };
  const first = required(clients[0], 'The stack has a user pool and no client of it');
  const { AllowedOAuthScopes, accessTokenSeconds, refreshTokenSeconds } = first.properties;
  const apiScopes = AllowedOAuthScopes.filter((scope) => !OPENID_SCOPES.includes(scope)).join(' ');
  return {
    clients: clients.map(({ ref, properties }) => ({
      client_id: ref,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: properties.CallbackURLs,
      post_logout_redirect_uris: properties.LogoutURLs,
    })),
    jwks: { keys: [signingKey] },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    scopes: ['openid', 'email'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    // The browser calls from the dashboard's origin. Cognito also allows the origins of callbacks.
    clientBasedCORS: (_, origin) =>
      clients.some(({ properties }) => properties.CallbackURLs.some((url) => new URL(url).origin === origin)),
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => {
          context.body = logoutPage(form);
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: apiScopes,
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessTokenSeconds,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    formats: {
      customizers: {
        // Cognito's access tokens have no audience. The provider requires one, which an API compares like the client id.
        jwt: (_, { clientId }, token) => {
          token.payload = { ...token.payload, aud: clientId, token_use: 'access', username: token.payload.sub };
        },
      },
    },
    routes: {
      authorization: '/oauth2/authorize',
      token: '/oauth2/token',
      userinfo: '/oauth2/userInfo',
      revocation: '/oauth2/revoke',
      end_session: '/logout',
      jwks: '/.well-known/jwks.json',
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    // Cognito asks no user of the pool for consent.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new context.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email');
      grant.addResourceScope(RESOURCE, apiScopes);
      await grant.save();
      return grant;
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    findAccount: (_, sub) => {
      const user = users.bySub(sub);
      if (user === undefined) return undefined;
      return { accountId: sub, claims: () => ({ sub, email: user.email, email_verified: user.email_verified }) };
    },
    renderError: (context, out) => {
      context.type = 'html';
      context.body = problemPage(out.error_description ?? out.error);
    },
    ttl: {
      Session: SESSION_SECONDS,
      Interaction: SESSION_SECONDS,
      Grant: refreshTokenSeconds,
      AccessToken: accessTokenSeconds,
      IdToken: accessTokenSeconds,
      RefreshToken: refreshTokenSeconds,
    },
  };
}

/** Cognito's `/logout` has the parameter `logout_uri` instead of the standard's `post_logout_redirect_uri`. */
function withStandardLogout(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://login');
  const target = searchParams.get('logout_uri');
  if (pathname !== '/logout' || target === null) return url;
  searchParams.delete('logout_uri');
  searchParams.set('post_logout_redirect_uri', target);
  return `${pathname}?${searchParams}`;
}

function sendHtml(response: ServerResponse, status: number, html: string): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(html);
}

// The pages of the emulated managed login. Each has one form. Only the page that ends a session has a script.

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #16191f; background: #f2f3f3; }
  main { max-width: 22rem; margin: 10vh auto; padding: 2rem; background: #fff; border: 1px solid #d1d5db; border-radius: 12px; }
  h1 { font-size: 1.25rem; }
  label { display: block; font-weight: 650; margin-top: .75rem; }
  input, button { width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; border: 1px solid #7d8998; border-radius: 6px; }
  button { margin-top: 1.25rem; font-weight: 650; color: #fff; background: #0a5fb4; }
  [role=alert] { color: #a60e0e; font-weight: 650; }
`;

const page = (title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>
`;

/** @param problem the error of the previous login */
const loginPage = (service: string, uid: string, email: string, problem?: string): string =>
  page(
    `Log in to ${escapeHtml(service)}`,
    `<p>This machine’s stand-in for the login of your deployment.</p>${alert(problem)}
<form method="post" action="/interaction/${encodeURIComponent(uid)}">
<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(email)}">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Log in</button></form>`,
  );

/** @param form of the provider, which ends the session when it is sent */
const logoutPage = (form: string): string =>
  page(
    'Logging out',
    `${form}<script>
const form = document.forms[0];
form.insertAdjacentHTML('beforeend', '<input type="hidden" name="logout" value="yes">');
form.submit();
</script>`,
  );

const problemPage = (problem: string): string => page('The login failed', alert(problem));

const alert = (problem: string | undefined): string =>
  problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
/** Entries of one kind, so that requests of nobody, which leave interactions, end no login. */
const ENTRIES_OF_KIND_MAX = 1000;
/** `expiresAt` is in unix milliseconds; null = never. */
const entries = z.array(z.tuple([z.string(), z.object({ value: z.unknown(), expiresAt: z.number().nullable() })]));
type Entry = z.infer<typeof entries>[number][1];
export type KeptLogins = ReturnType<typeof keptLogins>;

/** The store of the provider's adapter in one file, so that a restart ends no login. @throws CloudError */
export function keptLogins(file: string) {
  const all = new Map(readKept(file, entries));
  const keep = (): void => {
    const counts = new Map<string, number>();
    for (const [key, entry] of [...all].reverse()) {
      const kind = key.slice(0, key.indexOf(':'));
      const count = (counts.get(kind) ?? 0) + 1;
      if (isOver(entry) || count > ENTRIES_OF_KIND_MAX) all.delete(key);
      else counts.set(kind, count);
    }
    writeKept(file, [...all]);
  };
  return {
    get(key: string): unknown {
      const entry = all.get(key);
      return entry === undefined || isOver(entry) ? undefined : entry.value;
    },
    set(key: string, value: unknown, options?: { readonly maxAge: number }): void {
      all.delete(key);
      // The tokens of a grant are a map. The adapter takes a list of its keys, too.
      const storedKeys = value instanceof Map ? [...value.keys()] : value;
      all.set(key, { value: storedKeys, expiresAt: options === undefined ? null : Date.now() + options.maxAge });
      keep();
    },
    delete(key: string): void {
      if (all.delete(key)) keep();
    },
  };
}

const isOver = ({ expiresAt }: Entry): boolean => expiresAt !== null && expiresAt <= Date.now();
