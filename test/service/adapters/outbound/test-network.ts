import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NetworkRule } from '../../../../src/adapters/outbound/network-rule.ts';
import { createOutbound, type Outbound, type OutboundOptions } from '../../../../src/adapters/outbound/outbound.ts';
import type { OutboundRequest } from '../../../../src/domain/context.ts';
import { type Authority, createAuthority, type Identity } from './authority.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { stopReceivers } from './receiver.ts';
import { ALLOWED, clock, HOST, type Surroundings, testRule } from './sender.ts';

export { ALLOWED, ALLOWED_TOO, clock, HOST } from './sender.ts';

/** What lasts by the wall clock does not end while the process stands still. */
const STILL_CLOCK = { ...clock, wallTime: () => 1e12 };

/** Deadline of attempts, which they reach on no machine by themselves. */
export const LONG_MS = 100_000;

/**
 * Makes an attempt whose time ends when the receiver has done its part, however long the stages before take on a busy machine.
 * @param receiverPart resolves when the receiver has done all that it does
 */
export async function endedByDeadline<Outcome>(attempt: () => Promise<Outcome>, receiverPart: Promise<unknown>) {
  const timers = mock.method(globalThis, 'setTimeout');
  const clearedTimers = mock.method(globalThis, 'clearTimeout');
  try {
    const outcome = attempt();
    await Promise.race([receiverPart, outcome]);
    // The attempt reads what was written.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    const cleared = clearedTimers.mock.calls.map(({ arguments: [timer] }) => timer);
    const deadline = timers.mock.calls.find(
      ({ arguments: [, delayMs], result }) => delayMs === LONG_MS && !cleared.includes(result),
    );
    deadline?.arguments[0]();
    return await outcome;
  } finally {
    timers.mock.restore();
    clearedTimers.mock.restore();
  }
}

/** Milliseconds after which a connection that waits for another request is closed. */
const IDLE_MAX_MS = 1000;

/** In each test of the file, a connection waits for another request however long this process stands still. @returns a function that ends the waiting */
export function holdIdleTime(): () => void {
  const { setTimeout } = globalThis;
  const closers: (() => void)[] = [];
  const restorers: (() => void)[] = [];
  beforeEach(() => {
    const { mock: timers } = mock.method(
      globalThis,
      'setTimeout',
      (run: () => void, delayMs?: number, ...words: []) => {
        if (delayMs === IDLE_MAX_MS) closers.push(run);
        return setTimeout(run, delayMs === IDLE_MAX_MS ? LONG_MS : delayMs, ...words);
      },
    );
    restorers.push(() => timers.restore());
  });
  afterEach(() => restorers.pop()?.());
  return () => {
    for (const close of closers.splice(0)) close();
  };
}

/** A loopback address that the rule refuses, so that no test may connect to it. */
export const BLOCKED = '127.0.0.66';

export type TestNetwork = {
  readonly authority: Authority;
  /** What a process that the test starts needs to reach the receivers. */
  readonly surroundings: Surroundings;
  readonly identity: Identity;
  readonly names: NameServer;
  readonly rule: NetworkRule;
  /** Creates a pipeline whose connections are closed at the end of the test file. */
  outbound(options?: Partial<OutboundOptions>): Outbound;
  stop(): Promise<void>;
};

/** Creates a private authority, a name server and the rule that uses them. */
export async function createTestNetwork(): Promise<TestNetwork> {
  const authority = createAuthority();
  const identity = authority.issue([HOST, ALLOWED]);
  const names = await startNameServer();
  names.zone.set(HOST, { a: [ALLOWED] });
  const opened: Outbound[] = [];
  const surroundings = { authority: authority.pem, nameServer: names.server };
  // No query is repeated because this process stood still: tests count them.
  const rule = testRule(surroundings, { timeout: LONG_MS, tries: 1 });
  return {
    authority,
    surroundings,
    identity,
    names,
    rule,
    outbound: (options) => {
      const outbound = createOutbound({ clock: STILL_CLOCK, timeoutMs: LONG_MS, networkRule: rule, ...options });
      opened.push(outbound);
      return outbound;
    },
    stop: async () => {
      for (const outbound of opened) outbound.close();
      await names.stop();
    },
  };
}

/** Creates the network of a test file. Stops its receivers and resets its names after each test, also after a failed one. */
export async function networkOfFile(): Promise<TestNetwork> {
  const network = await createTestNetwork();
  afterEach(() => {
    network.names.zone.set(HOST, { a: [ALLOWED] });
    return stopReceivers();
  });
  afterAll(() => network.stop());
  return network;
}

/** Returns a POST of a small JSON body to the receiver on `port`. */
export function post(port: number, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: 'POST',
    url: `https://${HOST}:${port}/hook?a=1`,
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'Service-Integration/1.0' },
    body: Buffer.from('{"a":"é"}'),
    withheldTexts: [],
    ...more,
  };
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
