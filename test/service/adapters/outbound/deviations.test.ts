import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { DEVIATIONS, type Deviation, deviationsTable } from './deviations.ts';
import { startTls, staysOpen } from './receiver.ts';
import { endedByDeadline, holdIdleTime, networkOfFile, post } from './test-network.ts';

const network = await networkOfFile();
holdIdleTime();
const { makeAttempt } = network.outbound();

/** The ways in which the bytes of an answer may arrive. */
const PIECES = {
  'at once': (bytes: string) => [bytes],
  'head and body apart': (bytes: string) => bytes.split(/(?<=\n\r?\n)/),
  'in pieces': (bytes: string) => bytes.match(bytes.length > 1000 ? /.{1,700}/gs : /./gs) ?? [],
};

/** Responds to each request with these pieces. `nextAnswer` resolves after the last piece of the next answer. */
async function startSending(pieces: readonly string[], end: Deviation['end']) {
  const answers = new EventEmitter();
  const send = async (socket: TLSSocket) => {
    // Otherwise the system holds a piece back until the one before has been acknowledged.
    socket.setNoDelay();
    for (const piece of pieces) await new Promise((written) => socket.write(piece, written));
    if (end === 'closes') socket.end();
    if (end === 'resets') setTimeout(() => socket.destroy(), 5);
    answers.emit('sent');
  };
  const receiver = await startTls(network.identity, async (socket, requests) => {
    for await (const _ of requests) await send(socket);
  });
  return { ...receiver, nextAnswer: () => once(answers, 'sent') };
}

const CASES = DEVIATIONS.flatMap((deviation) => deviation.answers.map((answer) => ({ ...deviation, answer })));
const caseName = ({ what, answer }: (typeof CASES)[number]) => `${what}: ${JSON.stringify(answer).slice(0, 120)}`;

describe.each(CASES.map((one) => [caseName(one), one] as const))(
  '%s',
  (_, { answer, outcome, body, end, accepted }) => {
    const deliverTo = (receiver: Awaited<ReturnType<typeof startSending>>, policy: { connectionKey?: string } = {}) => {
      const attempt = () => makeAttempt(post(receiver.port), policy);
      return [outcome, body].includes('timeout') ? endedByDeadline(attempt, receiver.nextAnswer()) : attempt();
    };

    test.each(Object.entries(PIECES))('%s', async (__, split) => {
      const receiver = await startSending(split(answer), end);
      const made = await deliverTo(receiver);
      const status = outcome === 'the status' ? 200 : null;
      expect(made).toMatchObject({ success: outcome === 'the status' });
      expect(made.status).toBe(
        outcome === 'response_malformed' && /^HTTP\/1\.1 (?:600|099|101)/.test(answer) ? made.status : status,
      );
      expect(made.error?.code ?? 'read').toBe(outcome === 'the status' ? body : outcome);
      expect(made.text ?? '').toMatch(body === 'read' ? /^ok$/ : /^(?:ok)?$/);
      expect(await staysOpen(receiver)).toBe(0);
    });

    if (outcome === 'the status') {
      test('with another status', async () => {
        const made = await deliverTo(await startSending([answer.replace('200', '410')], end));
        expect(made).toMatchObject({ success: false, status: 410, error: { code: 'http_status' } });
      });
    }

    test('its connection is not used again, unless the parser took it', async () => {
      const receiver = await startSending([answer], end);
      for (let delivery = 0; delivery < 2; delivery += 1) await deliverTo(receiver, { connectionKey: 'action-1' });
      expect(receiver.connections()).toBe(accepted ? 1 : 2);
    });
  },
);

test.each([204, 304])('a malformed head with status %i has no body', async (status) => {
  const receiver = await startSending([`HTTP/1.1 ${status} X\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok`], undefined);
  const made = await makeAttempt(post(receiver.port));
  expect(made).toMatchObject({ status, text: '' });
});

test('of a body behind a malformed head no more is read than the caller needs, and than 1 MB', async () => {
  for (const [keepBytes, read] of [
    [10, 10],
    [undefined, 1024 * 1024],
  ] as const) {
    const answer = `HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 9000000\r\n\r\n${'x'.repeat(9_000_000)}`;
    const receiver = await startSending([answer], undefined);
    const made = await makeAttempt(post(receiver.port), { keepBytes });
    expect(made).toMatchObject({ status: 200, success: true, error: null });
    expect(made.text?.length).toBe(read);
  }
});

test('the document has the table', () => {
  expect(readFileSync('docs/delivery.md', 'utf8')).toContain(deviationsTable());
});
