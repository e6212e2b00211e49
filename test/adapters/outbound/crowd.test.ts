import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Receiver, startAnswering, startTls, stopReceivers } from './receiver.ts';
import { createWorld, OK, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(stopReceivers);
afterAll(() => world.stop());

/** For what has to end by itself, on the busiest machine. */
const LONG_MS = 20_000;

type Report = { readonly results: Record<string, number>; readonly late: boolean; readonly grownMb: number };

async function crowd(receiver: Receiver, timeoutMs: number): Promise<Report> {
  const script = fileURLToPath(new URL('crowd.ts', import.meta.url));
  const args = [receiver.port, 200, timeoutMs, world.names.server, world.authority.pem].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
  return JSON.parse(stdout);
}

describe('200 at once stay within 64 MB over idle and within the deadline', () => {
  test('when all answer', async () => {
    const report = await crowd(await startAnswering(world.identity, OK), LONG_MS);
    expect(report.results).toEqual({ 200: 200 });
    expect(report.grownMb).toBeLessThan(64);
  });

  const warm = (request: string) => request.startsWith('POST /warm');

  test('when all are silent', async () => {
    const receiver = await startAnswering(world.identity, (request) => (warm(request) ? OK : undefined));
    const report = await crowd(receiver, 2500);
    expect(report.results).toEqual({ timeout: 200 });
    expect(report.grownMb).toBeLessThan(64);
    expect(report.late).toBe(false);
  });

  test('when all send without end', async () => {
    const block = Buffer.alloc(64 * 1024, 'x');
    const receiver = await startTls(world.identity, async (socket, requests) => {
      for await (const request of requests) {
        if (warm(request)) {
          socket.write(OK);
          continue;
        }
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const pour = () => {
          while (!socket.destroyed && socket.write(block));
        };
        socket.on('drain', pour);
        pour();
      }
    });
    const report = await crowd(receiver, LONG_MS);
    expect(report.results).toEqual({ 200: 200 });
    expect(report.grownMb).toBeLessThan(64);
  });
});
