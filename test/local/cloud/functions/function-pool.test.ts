import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CallsUnderWay } from '../../../../local/cloud/access/calls-under-way.ts';
import { FunctionPool } from '../../../../local/cloud/functions/function-pool.ts';

/** Computes and waits as long as the event says, and returns which environment it ran in. */
const CODE = `
import { threadId } from 'node:worker_threads';
export const handler = async ({ compute_ms, wait_ms }) => {
  const end = performance.now() + compute_ms;
  while (performance.now() < end);
  await new Promise((resolve) => setTimeout(resolve, wait_ms));
  return threadId;
};`;

const folder = mkdtempSync(join(tmpdir(), 'pool-'));
const pools: FunctionPool[] = [];
beforeAll(() => writeFileSync(join(folder, 'index.mjs'), CODE));
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.stop())));
afterAll(() => rmSync(folder, { recursive: true }));

function startPool(idle: number): FunctionPool {
  const name = 'fixture';
  const arn = `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
  const pool = new FunctionPool({
    definition: {
      logicalId: name,
      name,
      arn,
      codeFolder: folder,
      logGroup: name,
      role: { logicalId: 'role', arn: 'role', name: 'role', statements: [], trust: [] },
      properties: {
        Code: { S3Bucket: 'bucket', S3Key: 'key' },
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Role: 'role',
        Timeout: 10,
        MemorySize: 128,
        Environment: { Variables: {} },
        LoggingConfig: { LogFormat: 'JSON', LogGroup: name },
      },
    },
    issue: () => ({ environment: {}, calls: new CallsUnderWay(), revoke: () => {} }),
    maxWorkers: 4,
    compiledCode: join(folder, 'compiled'),
    idleProcessors: () => ({ recently: idle, now: idle }),
    onOutput: () => {},
    onLost: () => {},
  });
  pools.push(pool);
  return pool;
}

/** Runs the function for a queue. @returns the environment */
async function run(pool: FunctionPool, wait_ms: number, compute_ms = 0): Promise<string> {
  const environment = await pool.acquire();
  if (environment === undefined) throw new Error('The pool has stopped');
  const { failed, payload } = await pool.run(environment, JSON.stringify({ compute_ms, wait_ms }));
  expect(failed).toBe(false);
  return payload;
}

async function runOften(pool: FunctionPool, times: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let time = 0; time < times; time++) {
    const environment = await run(pool, 0, 25);
    counts.set(environment, (counts.get(environment) ?? 0) + 1);
  }
  return counts;
}

test('the environment that is started in advance gets three invocations of a function that a queue invokes, and then none', async () => {
  const counts = await runOften(startPool(0.9), 45);
  expect([...counts.values()].sort()).toEqual([3, 42]);
});

test('while the processors are busy, no environment is started in advance', async () => {
  expect([...(await runOften(startPool(0.1), 20)).values()]).toEqual([20]);
});

test('an invocation does not wait for one that hangs, and the environment of that one is used again afterwards', async () => {
  const pool = startPool(0.9);
  const counts = await runOften(pool, 45);
  const hangs = run(pool, 1500);
  const startedAt = performance.now();
  const beside = await run(pool, 0);
  expect(performance.now() - startedAt).toBeLessThan(1000);
  expect(counts.has(beside)).toBe(true);
  expect(await hangs).not.toBe(beside);
  expect(await run(pool, 0)).toBe(await hangs);
});

test('an environment that is exchanged for the slowest one is free for others', async () => {
  const pool = startPool(0.9);
  await runOften(pool, 45);
  const hangs = run(pool, 1000);
  const fast = await pool.acquire();
  await pause(50);
  if (fast === undefined) throw new Error('The pool has stopped');
  expect(pool.exchangeForSlowest(fast)).toBe(fast);
  pool.release(fast);
  await hangs;
  const acquired = await pool.acquire();
  if (acquired === undefined) throw new Error('The pool has stopped');
  expect(acquired).not.toBe(fast);
  expect(pool.exchangeForSlowest(acquired)).toBe(fast);
  expect(await pool.acquire()).toBe(acquired);
});

test('the environment that is started in advance is not exchanged, and is used once after it was needed', async () => {
  const pool = startPool(0.9);
  await run(pool, 0, 25);
  const first = await pool.acquire();
  if (first === undefined) throw new Error('The pool has stopped');
  pool.release(first);
  let spare = first;
  while (spare === first) {
    await run(pool, 0, 25);
    const acquired = await pool.acquire();
    if (acquired === undefined) throw new Error('The pool has stopped');
    spare = acquired;
    expect(pool.exchangeForSlowest(acquired)).toBe(acquired);
    if (acquired === first) pool.release(acquired);
  }
  pool.release(spare);
  const hangs = run(pool, 1000);
  const [second, third] = [await pool.acquire(), pool.acquire()];
  expect(second).toBe(spare);
  await hangs;
  expect(await third).toBe(first);
});
