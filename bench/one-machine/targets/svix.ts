import { Pool } from 'undici';
import type { Target, TargetOptions } from '../target.ts';

/**
 * A running Svix server: an application for each endpoint.
 * @param access base URL, a token of the API (`svix-server jwt generate`), and the processes of server and database
 */
export async function useSvix(
  access: { readonly url: string; readonly token: string; readonly processes: readonly number[] },
  { endpoints }: TargetOptions,
): Promise<Target> {
  const pool = new Pool(access.url, { connections: 64 });
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  const applications: string[] = [];
  for (const [index, url] of endpoints.entries()) {
    const { id } = await post('/api/v1/app', { name: `Bench ${index}` });
    await post(`/api/v1/app/${id}/endpoint`, { url, description: 'Bench' });
    applications.push(String(id));
  }
  return {
    send: async (endpoint, payload) => {
      await post(`/api/v1/app/${applications[endpoint]}/msg`, { eventType: 'message.sent', payload });
    },
    processes: () => access.processes,
    crash: undefined,
    stop: () => pool.destroy(),
  };
}
