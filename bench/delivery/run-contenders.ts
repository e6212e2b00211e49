import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from '../statistics.ts';
import type { ContenderSettings, Measurement } from './contender.ts';

export type Entrant = {
  readonly name: string;
  /** URL of the module that exports `start`. */
  readonly module: URL;
  readonly settings: ContenderSettings;
  readonly environment?: Readonly<Record<string, string>>;
};

export type Standing = {
  readonly name: string;
  /** Medians over the rounds. */
  readonly perSecond: number;
  readonly cpuMsPerDelivery: number;
};

/**
 * Measures the entrants in turn, round after round, so that other load on the machine affects all of them. Each entrant has its own
 * process, which waits while the others run. The first round only warms up and does not count.
 */
export async function runContenders(
  entrants: readonly Entrant[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Standing[]> {
  const running = await Promise.all(entrants.map(async (entrant) => ({ entrant, child: await startProcess(entrant) })));
  try {
    const measured = new Map<string, Measurement[]>();
    for (let round = 0; round <= rounds; round++) {
      for (const { entrant, child } of running) {
        const measurement = await measure(child, round === 0 ? 1 : seconds);
        if (round > 0) measured.set(entrant.name, [...(measured.get(entrant.name) ?? []), measurement]);
      }
    }
    return entrants.map(({ name }) => {
      const all = measured.get(name) ?? [];
      return {
        name,
        perSecond: median(all.map((one) => one.deliveries / one.seconds)),
        cpuMsPerDelivery: median(all.map((one) => one.cpuMs / one.deliveries)),
      };
    });
  } finally {
    for (const { child } of running) if (child.connected) child.disconnect();
  }
}

async function startProcess({ name, module, settings, environment = {} }: Entrant): Promise<ChildProcess> {
  const child = fork(
    fileURLToPath(new URL('./contender-process.ts', import.meta.url)),
    [module.href, JSON.stringify(settings)],
    // Writing the log lines is measured, and their content is discarded.
    { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
  );
  await answer(child, name);
  return child;
}

async function measure(child: ChildProcess, seconds: number): Promise<Measurement> {
  const measurement = answer(child, 'A contender');
  child.send(seconds);
  return JSON.parse(JSON.stringify(await measurement));
}

/** Resolves to the next message of a process. @throws Error when the process ends before */
async function answer(child: ChildProcess, name: string): Promise<unknown> {
  const done = new AbortController();
  const ended = once(child, 'exit', { signal: done.signal }).then(() => {
    throw new Error(`${name} ended unexpectedly`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: done.signal }), ended]);
    return message;
  } finally {
    done.abort();
    ended.catch(() => undefined);
  }
}
