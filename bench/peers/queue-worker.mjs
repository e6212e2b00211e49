import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Queue, Worker } from 'bullmq';
import { Pool } from 'undici';
import { envelopeOf } from '../delivery/contender.ts';

/** Returns a number of jobs that is larger than a round can process. */
const jobsFor = (bodyBytes) => (bodyBytes > 10_000 ? 3000 : 10_000);

/**
 * Represents a common alternative: a BullMQ worker that signs, sends with undici over kept connections, and inserts one row per attempt
 * into a database file. SQLite in WAL mode is cheaper than a database server on the network. The queue is filled before a round, so
 * adding jobs is not measured. The worker does not check addresses and writes no record before the request.
 */
export async function start(settings) {
  const connection = { host: '127.0.0.1', port: settings.redisPort, maxRetriesPerRequest: null };
  const { origin, pathname: path } = new URL(settings.url);
  const pool = new Pool(origin, {
    connections: settings.atOnce,
    pipelining: settings.keepConnections === false ? 0 : 1,
    connect: { ca: readFileSync(settings.authorityFile, 'utf8'), maxCachedSessions: 0 },
  });
  const database = new DatabaseSync(join(settings.folder, `${randomUUID()}.sqlite`));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE attempts (id TEXT PRIMARY KEY, event TEXT, attempt INTEGER, payload TEXT, status INTEGER, response TEXT, ms REAL)`);
  const insert = database.prepare('INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)');

  const name = `deliveries-${randomUUID()}`;
  const queue = new Queue(name, { connection });
  let done = 0;
  let failure;
  const work = async (job) => {
    const startedAt = performance.now();
    const body = Buffer.from(JSON.stringify(job.data));
    const t = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', 'a signing secret of the benchmark').update(`${t}.`).update(body).digest('hex');
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-signature': `t=${t},v1=${v1}` },
      body,
    });
    const text = await answer.body.text();
    insert.run(
      job.id,
      job.data.id,
      1,
      body.toString(),
      answer.statusCode,
      text.slice(0, 2000),
      performance.now() - startedAt,
    );
    if (answer.statusCode !== 200) throw new Error(`Status ${answer.statusCode}`);
    done += 1;
  };
  const worker = new Worker(name, work, {
    connection,
    concurrency: settings.atOnce,
    autorun: false,
    removeOnComplete: { count: 0 },
  });
  worker.on('failed', (_, error) => {
    failure = error;
  });
  worker.on('error', (error) => {
    failure = error;
  });
  const fill = async (count) => {
    for (let added = 0; added < count; added += 500) {
      const jobs = Array.from({ length: 500 }, () => ({
        name: 'deliver',
        data: envelopeOf(randomUUID(), 'org', settings.bodyBytes),
        opts: { attempts: 3, backoff: { type: 'exponential', delay: 2000 } },
      }));
      await queue.addBulk(jobs);
    }
  };
  await worker.waitUntilReady();
  worker.run();
  await worker.pause();
  return {
    prepare: () => fill(jobsFor(settings.bodyBytes)),
    run: async (over) => {
      const before = done;
      worker.resume();
      while (!over()) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (failure !== undefined) throw failure;
        if (done - before >= jobsFor(settings.bodyBytes) - settings.atOnce) break;
      }
      const counted = done - before;
      await worker.pause();
      await queue.drain();
      return counted;
    },
  };
}
