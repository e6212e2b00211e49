import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

export type LoginClient = {
  /** The issuer's metadata. */
  readonly metadataUrl: string;
  readonly clientId: string;
  /** A callback URL that is registered for the client. No server needs to answer there. */
  readonly redirectUri: string;
  readonly scope: string;
};

type Tokens = { readonly access_token: string; readonly refresh_token: string };

/** @returns the access token */
export async function logIn(client: LoginClient, email: string, password: string): Promise<string> {
  return (await tokensOf(client, email, password)).access_token;
}

/** Logs in with an authorization code and PKCE, as the dashboard does. Fills in the forms that the login shows. */
export async function tokensOf(client: LoginClient, email: string, password: string): Promise<Tokens> {
  const metadata: { authorization_endpoint: string; token_endpoint: string } = JSON.parse(
    await (await fetch(client.metadataUrl)).text(),
  );
  const verifier = randomBytes(48).toString('base64url');
  const start = new URL(metadata.authorization_endpoint);
  start.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    scope: client.scope,
    state: 'a-state',
    nonce: 'a-nonce',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const answers = [email, password];
  const callback = await walk(start, client.redirectUri, (name) => {
    if (/^(email|username)$/.test(name)) return answers[0];
    return name.includes('password') ? answers[1] : undefined;
  });
  assert.equal(callback.searchParams.get('state'), 'a-state');
  const reply = await fetch(metadata.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  });
  assert.equal(reply.status, 200, 'the code is worth a token');
  return JSON.parse(await reply.text());
}

/** Follows redirects with cookies and submits forms, as a browser does, until the login redirects to the callback. */
async function walk(start: URL, callback: string, answer: (field: string) => string | undefined): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let steps = 0; steps < 20; steps++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      form = undefined;
      if (url.href.startsWith(callback)) return url;
      continue;
    }
    const html = await response.text();
    const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1];
    if (action === undefined) throw new Error(`The login shows no form: ${response.status} ${html.slice(0, 500)}`);
    url = new URL(action, url);
    form = new URLSearchParams();
    for (const [input] of html.matchAll(/<input[^>]*>/g)) {
      const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
      const name = attribute('name') ?? '';
      form.set(name, answer(name) ?? attribute('value') ?? '');
    }
  }
  throw new Error('The login did not redirect to the callback');
}
