import { Pool } from 'undici';
import type { Target, TargetOptions } from '../target.ts';

/**
 * A running Outpost: a tenant with one webhook destination for each endpoint.
 * @param access base URL with the version (`http://127.0.0.1:3333/api/v1`), the API key, and the processes of Outpost and its stores
 */
export async function useOutpost(
  access: { readonly url: string; readonly token: string; readonly processes: readonly number[] },
  { endpoints }: TargetOptions,
): Promise<Target> {
  const { origin, pathname } = new URL(access.url);
  const prefix = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, { connections: 64 });
  const call = async (method: 'PUT' | 'POST', path: string, body: object): Promise<void> => {
    const answer = await pool.request({
      method,
      path: prefix + path,
      headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  };
  const run = Date.now();
  const tenant = (endpoint: number) => `bench-${run}-${endpoint}`;
  for (const [index, url] of endpoints.entries()) {
    await call('PUT', `/tenants/${tenant(index)}`, {});
    await call('POST', `/tenants/${tenant(index)}/destinations`, { type: 'webhook', topics: '*', config: { url } });
  }
  return {
    send: (endpoint, data) =>
      call('POST', '/publish', { tenant_id: tenant(endpoint), topic: 'message.sent', eligible_for_retry: true, data }),
    processes: () => access.processes,
    crash: undefined,
    stop: () => pool.destroy(),
  };
}
