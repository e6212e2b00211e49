import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { Target, TargetOptions } from '../target.ts';
import { startPostgres, startRedis } from './databases.ts';
import { freePort, runningPrograms, runProgram, startProgram } from './programs.ts';

/**
 * Starts the Svix server with Redis and PostgreSQL, and creates an application with one endpoint for each endpoint.
 * @param binary path of the program `svix-server`
 */
export async function startSvix(binary: string, { folder, authorityFile, endpoints }: TargetOptions): Promise<Target> {
  await using programs = runningPrograms();
  const redis = await programs.add(startRedis(folder));
  const postgres = await programs.add(startPostgres(folder));
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    SVIX_LISTEN_ADDRESS: `127.0.0.1:${port}`,
    SVIX_JWT_SECRET: randomBytes(16).toString('hex'),
    SVIX_DB_DSN: `postgresql://bench@127.0.0.1:${postgres.port}/bench`,
    SVIX_REDIS_DSN: `redis://127.0.0.1:${redis.port}`,
    SVIX_QUEUE_TYPE: 'redis',
    SVIX_CACHE_TYPE: 'redis',
    SVIX_WHITELIST_SUBNETS: '["127.0.0.0/8", "::1/128"]',
    SVIX_LOG_LEVEL: 'info',
    SSL_CERT_FILE: authorityFile,
  };
  const options = { env, cwd: folder };
  runProgram([binary, 'migrate'], options);
  const token = /ey[\w-]+\.[\w-]+\.[\w-]+/.exec(runProgram([binary, 'jwt', 'generate'], options))?.[0];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 });
  const isReady = async () => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/api/v1/health/' });
    await body.dump();
    return statusCode < 300;
  };
  await programs.add(startProgram('svix', [binary], folder, isReady, options));

  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  const applications: string[] = [];
  for (const [index, url] of endpoints.entries()) {
    const { id } = await post('/api/v1/app/', { name: `Bench ${index}` });
    await post(`/api/v1/app/${id}/endpoint/`, { url, description: 'Bench' });
    applications.push(String(id));
  }
  const running = programs.keep();
  return {
    send: async (endpoint, payload) => {
      await post(`/api/v1/app/${applications[endpoint]}/msg/`, { eventType: 'message.sent', payload });
    },
    processes: () => running.pids,
    crash: undefined,
    stop: async () => {
      await pool.destroy();
      await running.stop();
    },
  };
}
