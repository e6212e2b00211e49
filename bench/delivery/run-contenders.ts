import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from '../statistics.ts';

export type Measurement = { readonly deliveries: number; readonly seconds: number; readonly cpuMs: number };

export type Entrant = {
  readonly name: string;
  /** The contender, in contenders.ts. */
  readonly contender: string;
  readonly settings: object;
  readonly environment?: Readonly<Record<string, string>>;
};

/** The medians over the rounds. */
export type Standing = { readonly name: string; readonly perSecond: number; readonly cpuMsPerDelivery: number };

/**
 * Measures the entrants in turn, round after round, so that other load on the machine affects all of them. Each entrant has its own
 * process, which waits while the others run. The first round only warms up and does not count. @throws Error when a process ends
 */
export async function runContenders(
  entrants: readonly Entrant[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Standing[]> {
  const running = entrants.map((entrant) => ({ ...startProcess(entrant), measured: [] as Measurement[] }));
  try {
    for (const { ready } of running) await ready;
    for (let round = 0; round <= rounds; round++) {
      for (const { child, answer, measured } of running) {
        const measurement = answer();
        child.send(round === 0 ? 1 : seconds);
        if (round === 0) await measurement;
        else measured.push(await measurement);
      }
    }
    return running.map(({ name, measured }) => ({
      name,
      perSecond: median(measured.map((one) => one.deliveries / one.seconds)),
      cpuMsPerDelivery: median(measured.map((one) => one.cpuMs / one.deliveries)),
    }));
  } finally {
    for (const { child } of running) if (child.connected) child.disconnect();
  }
}

function startProcess({ name, contender, settings, environment = {} }: Entrant) {
  const child = fork(
    fileURLToPath(new URL('./contenders.ts', import.meta.url)),
    [contender, JSON.stringify(settings)],
    // Writing the log lines is measured, and their content is discarded.
    { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
  );
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${name} ended unexpectedly`);
  });
  // At the end of the benchmark nobody waits for it.
  ended.catch(() => undefined);
  const answer = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  return { name, child, answer, ready: answer() };
}
