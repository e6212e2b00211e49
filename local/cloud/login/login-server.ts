import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import type Provider from 'oidc-provider';
import type { Adapter, AdapterFactory, Configuration } from 'oidc-provider';
import { CloudError } from '../cloud-error.ts';
import { type Listener, readBody } from '../listener.ts';
import type { Users } from '../services/user-pools.ts';
import type { Identity } from '../state/data-folder.ts';
import type { Resource } from '../template/stack.ts';
import type { KeptLogins } from './kept-logins.ts';
import { loginPage, logoutPage, problemPage } from './login-page.ts';

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
  { users, logins, key }: { readonly users: Users; readonly logins: KeptLogins; readonly key: Identity['loginKey'] },
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
  listener.handle((request, response) => {
    const uid = /^\/interaction\/([^/?]+)$/.exec(request.url ?? '')?.[1];
    if (uid === undefined) {
      request.url = withStandardLogout(request.url ?? '/');
      void callback(request, response);
      return;
    }
    interact({ provider, users, service, uid }, request, response).catch((error: unknown) => {
      sendHtml(response, 400, problemPage(error instanceof Error ? error.message : 'Start again'));
    });
  });
}

/** Creates a private key for the tokens of the login, as a JWK. */
export async function newLoginKey(): Promise<Identity['loginKey']> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return exportJWK(privateKey);
}

function configuration(clients: readonly Client[], users: Users, key: Identity['loginKey']): Configuration {
  const signingKey = { ...key, kty: 'RSA' as const, use: 'sig', alg: 'RS256' };
  const [first] = clients;
  if (first === undefined) throw new CloudError('The stack has a user pool and no client of it');
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
      return { accountId: sub, claims: () => ({ sub, email: user.email, email_verified: true }) };
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

type Interaction = {
  readonly provider: Provider;
  readonly users: Users;
  readonly service: string;
  readonly uid: string;
};

async function interact(
  { provider, users, service, uid }: Interaction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionDetails(request, response);
  if (request.method !== 'POST') return sendHtml(response, 200, loginPage(service, uid, ''));
  const form = new URLSearchParams((await readBody(request, FORM_LIMIT_BYTES))?.toString('utf8') ?? '');
  const email = form.get('email') ?? '';
  const user = users.authenticate(email, form.get('password') ?? '');
  if (user === undefined) {
    return sendHtml(response, 401, loginPage(service, uid, email, 'Incorrect email or password.'));
  }
  await provider.interactionFinished(request, response, { login: { accountId: user.sub } });
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
