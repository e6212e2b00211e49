import type { IdleProcessors } from './idle-processors.ts';

/** How the invocation of an environment waits for an endpoint outside this cloud. */
export type Waiting = {
  /** The share of its time since the last check, 0 to 1. */
  readonly share: number;
  /** How long it has only waited, in milliseconds. */
  readonly onlyMs: number;
};

/** An environment that has an invocation. */
export type Busy = {
  /** The share of its time since the last check in which it waited for an endpoint, 0 to 1. */
  readonly share: number;
  /** It waits for an endpoint that hangs. */
  readonly stuck: boolean;
};

/** The environments of one function, as they are now. */
export type Environments = {
  readonly busy: readonly Busy[];
  readonly idle: number;
  readonly starting: number;
};

export type Machine = {
  /** The maximum number of environments. */
  readonly most: number;
  /** Half of them may work for one function. */
  readonly processors: number;
  readonly idle: IdleProcessors;
  /** How long an invocation of the function usually takes, in milliseconds. */
  readonly usualMs: number;
};

/** From this share on, an environment counts as only waiting. */
export const NOTHING_ELSE = 0.9;
/** An environment that only waits for this time, and for several times as long as usual, is stuck: it waits for an endpoint that hangs. */
const STUCK_MS = 60;
/** The same time while the processors are busy: an environment that seems to wait for an endpoint may wait for a processor. */
const STUCK_WHEN_BUSY_MS = 300;
const TIMES_USUAL = 5;
/** After this time an environment is stuck, also when the function usually takes long. */
const ALWAYS_STUCK_MS = 1000;
/** The pause between two environments that can wait, in milliseconds. A start needs a processor for up to a fifth of a second. */
const PAUSE_MS = 1000;
/** If all environments together work for less than this share of a processor, another one is useful. */
const AT_WORK = 0.6;
/** Below this idle share of the processors, another environment would only wait for a processor. */
const IDLE_PROCESSORS = 0.25;

/** Whether an environment waits for an endpoint that hangs. @param wasStuck the result of the last check of this invocation */
export function isStuck({ onlyMs }: Waiting, wasStuck: boolean, { idle, usualMs }: Machine): boolean {
  if (wasStuck) return onlyMs > 0;
  const atLeastMs = idle.recently < IDLE_PROCESSORS ? STUCK_WHEN_BUSY_MS : STUCK_MS;
  return onlyMs >= Math.min(ALWAYS_STUCK_MS, Math.max(atLeastMs, TIMES_USUAL * usualMs));
}

/**
 * Whether a function needs another environment. An environment that computes, or waits for the gateway, is at work: another one beside it
 * would only take processor time from it and make the gateway slower. An environment that waits for an endpoint is not at work.
 */
export function needsAnother({ busy, idle, starting }: Environments, machine: Machine): boolean {
  if (idle + starting > 0 || busy.length >= machine.most) return false;
  const free = busy.filter(({ stuck }) => !stuck);
  if (free.length === 0) return true;
  if (!hasIdleProcessors(machine)) return false;
  const atWork = free.reduce((sum, { share }) => sum + 1 - share, 0);
  return atWork < AT_WORK * Math.max(1, Math.floor(machine.processors / 2));
}

/** Whether an environment may be added for which nothing waits, or only messages whose endpoint hangs. @param sinceAddedMs since the last one */
export function mayAdd({ busy, idle, starting }: Environments, sinceAddedMs: number, machine: Machine): boolean {
  const room = busy.length < machine.most;
  return room && idle + starting === 0 && sinceAddedMs >= PAUSE_MS && hasIdleProcessors(machine);
}

const hasIdleProcessors = ({ idle }: Machine): boolean => Math.min(idle.recently, idle.now) >= IDLE_PROCESSORS;
