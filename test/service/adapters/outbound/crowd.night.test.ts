import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pour, type Receiver, startAnswering } from './receiver.ts';
import { LONG_MS, networkOfFile, OK } from './test-network.ts';

const network = await networkOfFile();

const MB = 1024 * 1024;

type Report = { readonly results: Record<string, number>; readonly late: boolean; readonly grownMb: number };

async function crowd(receiver: Receiver, timeoutMs: number, count = 200, keepBytes = 8192): Promise<Report> {
  const script = fileURLToPath(new URL('crowd.ts', import.meta.url));
  const settings = { ...network.surroundings, port: receiver.port, count, timeoutMs, keepBytes };
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(settings)]);
  return JSON.parse(stdout);
}

const warm = (request: string) => request.startsWith('POST /warm');

describe('200 concurrent deliveries stay within 96 MB over idle and within the deadline', () => {
  test('when all receivers respond', async () => {
    const report = await crowd(await startAnswering(network.identity, OK), LONG_MS);
    expect(report.results).toEqual({ 200: 200 });
    expect(report.grownMb).toBeLessThan(96);
  });

  test('when no receiver responds', async () => {
    const receiver = await startAnswering(network.identity, (request) => (warm(request) ? OK : undefined));
    const report = await crowd(receiver, 2500);
    expect(report.results).toEqual({ timeout: 200 });
    expect(report.grownMb).toBeLessThan(96);
    expect(report.late).toBe(false);
  });

  test('when all receivers send endless responses', async () => {
    const block = Buffer.alloc(64 * 1024, 'x');
    const receiver = await startAnswering(network.identity, (request, _, socket) => {
      if (warm(request)) return OK;
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      pour(socket, block);
      return undefined;
    });
    const report = await crowd(receiver, LONG_MS);
    expect(report.results).toEqual({ 200: 200 });
    expect(report.grownMb).toBeLessThan(96);
  });
});

test('a response of 1 MB in pieces of one byte needs few megabytes', async () => {
  const answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(MB)}0\r\n\r\n`;
  const receiver = await startAnswering(network.identity, (request) => (warm(request) ? OK : answer));
  const report = await crowd(receiver, LONG_MS, 1, MB);
  expect(report.results).toEqual({ 200: 1 });
  expect(report.grownMb).toBeLessThan(96);
});
