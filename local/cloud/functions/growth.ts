/** How the invocation of an environment waits for an endpoint outside this cloud. */
export type Waiting = {
  /** The share of its time since the last check, 0 to 1. */
  readonly share: number;
  /** How long it has done nothing else, in milliseconds. */
  readonly stuckMs: number;
};

/** The environments of one function, as they are now. */
export type Environments = {
  readonly waiting: readonly Waiting[];
  readonly idle: number;
  readonly starting: number;
};

/** From this share on, an environment counts as only waiting. */
export const NOTHING_ELSE = 0.9;
/** After this time an environment is stuck: it waits for an endpoint that hangs. */
const STUCK_MS = 100;
/** The same time while the processors are busy: an environment that seems to wait for an endpoint may wait for a processor. */
const STUCK_WHEN_BUSY_MS = 1000;
/** Environments beside the stuck ones: the next slow request may occupy another one, and a start takes some time. */
const BESIDE_STUCK = 3;
/** If all environments together work for less than this share of a processor, another one is useful. */
const AT_WORK = 0.6;
/** Below this idle share of the processors, another environment would only wait for a processor. */
const IDLE_PROCESSORS = 0.25;

/**
 * Whether a function needs another environment. An environment that computes, or waits for the gateway, is at work: another one beside it
 * would only take processor time from it and make the gateway slower. An environment that waits for an endpoint is not at work.
 * @param machine most: the maximum number of environments; processors: half of them may work for one function, or start environments;
 * idleProcessors: the share of the processors' time that was idle, 0 to 1
 */
export function needsAnother(
  { waiting, idle, starting }: Environments,
  machine: { readonly most: number; readonly processors: number; readonly idleProcessors: number },
): boolean {
  const count = waiting.length + idle + starting;
  const half = Math.max(1, Math.floor(machine.processors / 2));
  if (count >= machine.most || starting >= half) return false;
  const busy = machine.idleProcessors < IDLE_PROCESSORS;
  const stuck = waiting.filter(({ stuckMs }) => stuckMs >= (busy ? STUCK_WHEN_BUSY_MS : STUCK_MS)).length;
  if (stuck > 0) return count - stuck < BESIDE_STUCK;
  const atWork = waiting.reduce((sum, { share }) => sum + 1 - share, 0);
  return !busy && idle + starting === 0 && atWork < AT_WORK * half;
}
