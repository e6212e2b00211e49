import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { Target, TargetOptions } from '../target.ts';
import { startPostgres, startRabbitMq, startRedis } from './databases.ts';
import { freePort, runningPrograms, runProgram, startProgram } from './programs.ts';

/** Concurrent deliveries. The default is 1. */
const CONCURRENCY = 100;
const TOPIC = 'message.sent';

/**
 * Starts Outpost with Redis, PostgreSQL and RabbitMQ, and creates a tenant with one webhook destination for each endpoint.
 * @param binary path of the program `outpost`; `outpost-server` is in the same folder
 */
export async function startOutpost(binary: string, options: TargetOptions): Promise<Target> {
  const { folder, authorityFile, endpoints } = options;
  await using programs = runningPrograms();
  const redis = await programs.add(startRedis(folder));
  const postgres = await programs.add(startPostgres(folder));
  const rabbitMq = await programs.add(startRabbitMq(folder));
  const port = await freePort();
  const apiKey = randomBytes(16).toString('hex');
  const env = {
    PATH: process.env.PATH,
    API_PORT: `${port}`,
    API_KEY: apiKey,
    API_JWT_SECRET: randomBytes(16).toString('hex'),
    AES_ENCRYPTION_SECRET: randomBytes(16).toString('hex'),
    TOPICS: TOPIC,
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: `${redis.port}`,
    POSTGRES_URL: `postgres://bench@127.0.0.1:${postgres.port}/bench?sslmode=disable`,
    RABBITMQ_SERVER_URL: `amqp://guest:guest@127.0.0.1:${rabbitMq.port}`,
    DELIVERY_MAX_CONCURRENCY: `${CONCURRENCY}`,
    LOG_MAX_CONCURRENCY: `${CONCURRENCY}`,
    LOG_BATCH_THRESHOLD_SECONDS: '1',
    DISABLE_TELEMETRY: 'true',
    LOG_LEVEL: 'warn',
    SSL_CERT_FILE: authorityFile,
  };
  runProgram([binary, 'migrate', 'apply', '--yes'], { env, cwd: folder });
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 });
  const isReady = async () => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/api/v1/healthz' });
    await body.dump();
    return statusCode === 200;
  };
  await programs.add(startProgram('outpost', [binary, 'serve'], folder, isReady, { env, cwd: folder }));

  const call = async (method: 'PUT' | 'POST', path: string, body: object): Promise<void> => {
    const answer = await pool.request({
      method,
      path: `/api/v1${path}`,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  };
  const tenant = (endpoint: number) => `bench-${endpoint}`;
  for (const [index, url] of endpoints.entries()) {
    await call('PUT', `/tenants/${tenant(index)}`, {});
    await call('POST', `/tenants/${tenant(index)}/destinations`, { type: 'webhook', topics: '*', config: { url } });
  }
  const running = programs.keep();
  return {
    send: (endpoint, data) =>
      call('POST', '/publish', { tenant_id: tenant(endpoint), topic: TOPIC, eligible_for_retry: true, data }),
    processes: () => running.pids,
    crash: undefined,
    stop: async () => {
      await pool.destroy();
      await running.stop();
    },
  };
}
