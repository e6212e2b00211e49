/** Of an environment that has an invocation: how it waited for somebody outside this machine. */
export type Waiting = {
  /** Which share of its time since the last look, 0 to 1. */
  readonly share: number;
  /** For how long it has done nothing else, in milliseconds. */
  readonly stuckMs: number;
};

/** The environments of one function, as they are now. */
export type Environments = {
  readonly waiting: readonly Waiting[];
  readonly idle: number;
  readonly starting: number;
};

/** From this share on an environment does nothing but wait. */
export const NOTHING_ELSE = 0.9;
/** After so long it is as good as not there: it waits for a customer's endpoint that takes its time. */
const STUCK_MS = 100;
/** The same where processors are busy, and whoever seems to wait for an endpoint may wait for a processor. */
const STUCK_WHEN_BUSY_MS = 1000;
/** So many are there for others while one is stuck: the next of its kind may take one, and starting takes a while. */
const BESIDE_STUCK = 3;
/** Environments that are at work for less than this share of a processor leave room for another. */
const AT_WORK = 0.6;
/** The processors must be idle for this share of their time. Otherwise nobody waits for anything but a processor. */
const IDLE_PROCESSORS = 0.25;

/**
 * Whether a function gets one more environment. One that computes, or waits for this machine, is at work: beside it another would
 * only take the processor from it, and make this machine answer later. One that waits for somebody outside is not.
 * @param machine most: never more environments than this; processors: half of them may work for one function; idleProcessors: the share of
 * their time in which the processors had nothing to do
 */
export function needsAnother(
  { waiting, idle, starting }: Environments,
  machine: { readonly most: number; readonly processors: number; readonly idleProcessors: number },
): boolean {
  const count = waiting.length + idle + starting;
  if (count >= machine.most) return false;
  const busy = machine.idleProcessors < IDLE_PROCESSORS;
  const stuck = waiting.filter(({ stuckMs }) => stuckMs >= (busy ? STUCK_WHEN_BUSY_MS : STUCK_MS)).length;
  if (stuck > 0) return count - stuck < BESIDE_STUCK;
  const atWork = waiting.reduce((sum, { share }) => sum + 1 - share, 0);
  return !busy && idle + starting === 0 && atWork < AT_WORK * Math.max(1, Math.floor(machine.processors / 2));
}
