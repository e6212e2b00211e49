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
 * Lets the entrants deliver in turn, round after round, so that whatever else the machine does meets them all. Each has a process of
 * its own, which sleeps while others run. A round before the first one warms up.
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

/** One entrant for so many seconds, after as many to warm up, with a profile of where its CPU was. */
export async function profileContender(entrant: Entrant, seconds: number): Promise<Measurement> {
  const child = await startProcess(entrant, 'profile');
  try {
    await measure(child, seconds);
    return await measure(child, seconds);
  } finally {
    if (child.connected) child.disconnect();
  }
}

async function startProcess(
  { name, module, settings, environment = {} }: Entrant,
  ...more: readonly 'profile'[]
): Promise<ChildProcess> {
  const child = fork(
    fileURLToPath(new URL('./contender-process.ts', import.meta.url)),
    [module.href, JSON.stringify(settings), ...more],
    // A function's log is no part of what is measured beyond writing it.
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

/** The next message of a process. @throws when it ends instead */
async function answer(child: ChildProcess, name: string): Promise<unknown> {
  const done = new AbortController();
  const ended = once(child, 'exit', { signal: done.signal }).then(() => {
    throw new Error(`${name} ended by itself`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: done.signal }), ended]);
    return message;
  } finally {
    done.abort();
    ended.catch(() => undefined);
  }
}
