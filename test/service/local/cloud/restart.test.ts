import { cpSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { listenNear } from '../../../../local/cloud/listener.ts';
import { type LocalCloud, startLocalCloud } from '../../../../local/local-cloud.ts';
import { cognitoClient } from '../../../../src/adapters/aws-clients.ts';
import { userPoolLogins } from '../../../../src/adapters/user-pool.ts';
import { OUTPUTS } from '../../../../src/deployment/outputs.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { serviceAssembly } from '../../acceptance/assembly.ts';
import { loginOf } from '../../acceptance/local-service.ts';
import { type LoginClient, tokensOf } from '../../acceptance/login.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
const start = async (state = data) => startLocalCloud({ data: state, assembly: await serviceAssembly() });
let first: LocalCloud;
let signingKeys: unknown;
let loggedIn: { readonly client: LoginClient; readonly used: string; readonly valid: string };

/** Renews a login, as the dashboard does. @returns the new refresh token, or the status of the refusal */
async function renewed(client: LoginClient, refresh_token: string): Promise<string | number> {
  const { token_endpoint } = z
    .object({ token_endpoint: z.string() })
    .parse(await (await fetch(client.metadataUrl)).json());
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: client.clientId, refresh_token });
  const answer = await fetch(token_endpoint, { method: 'POST', body });
  return answer.ok ? z.object({ refresh_token: z.string() }).parse(await answer.json()).refresh_token : answer.status;
}

async function loginKeys({ baseUrl }: LocalCloud): Promise<unknown> {
  const configuration = await (await fetch(`${baseUrl}/dashboard/config.json`)).json();
  const { issuer } = z.object({ issuer: z.string() }).parse(configuration);
  return (await fetch(`${issuer}/.well-known/jwks.json`)).json();
}

beforeAll(async () => {
  first = await start();
  signingKeys = await loginKeys(first);
  const { gatewayUrl: endpoint, region, credentials, outputs, baseUrl } = first;
  const cognito = cognitoClient({ endpoint, region, credentials: { ...credentials } });
  await userPoolLogins(cognito, outputs[OUTPUTS.userPool] ?? '', 'a-password').create('a@b.example');
  const client = await loginOf(baseUrl);
  const { refresh_token } = await tokensOf(client, 'a@b.example', 'a-password');
  loggedIn = { client, used: refresh_token, valid: String(await renewed(client, refresh_token)) };
  await first.stop();
});

test('a restart keeps the addresses, the operator’s key, and the key and the logins of the login', async () => {
  const again = await start();
  try {
    const { gatewayUrl: endpoint, apiUrl, region, credentials } = first;
    expect(again).toMatchObject({ gatewayUrl: endpoint, apiUrl, credentials });
    expect(await loginKeys(again)).toEqual(signingKeys);
    const tables = new DynamoDBClient({ endpoint, region, credentials });
    expect((await tables.send(new ListTablesCommand({}))).TableNames).toHaveLength(4);
    const next = await renewed(loggedIn.client, loggedIn.valid);
    expect(next).toEqual(expect.any(String));
    // A refresh token that is used twice is stolen, also when the first use was before the restart: the whole login ends.
    expect(await renewed(loggedIn.client, loggedIn.used)).toBe(400);
    expect(await renewed(loggedIn.client, String(next))).toBe(400);
  } finally {
    await again.stop();
  }
});

test('when another program has the port, the AWS endpoint has another one, and a line says so', async () => {
  const other = createServer();
  await listenNear(other, Number(new URL(first.gatewayUrl).port));
  // The new port stays the one of this state.
  const copy = join(folder, 'copy');
  cpSync(data, copy, { recursive: true });
  const again = await start(copy);
  try {
    expect(again.gatewayUrl).not.toBe(first.gatewayUrl);
    expect(again.messages).toContainEqual(
      expect.stringContaining(`so the AWS endpoint is at ${new URL(again.gatewayUrl).host}`),
    );
  } finally {
    await again.stop();
    other.close();
  }
});

test.each(['secrets.json', 'dynamodb.db'])('without %s alone, it does not start', async (name) => {
  renameSync(join(data, name), join(folder, name));
  await expect(start()).rejects.toThrow(`${join(data, name)}, which has the`);
  renameSync(join(folder, name), join(data, name));
});
