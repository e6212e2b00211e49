import * as fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type Choose, World } from '../../fakes/world.ts';

/** Runs one schedule in a world. It reports what must not happen to the world. */
export type Scenario = (world: World) => Promise<void>;

/** Returns the choices that a seed makes. */
export function choicesOf(seed: number): Choose {
  const random = xoroshiro128plus(seed);
  return (options) => (options < 2 ? 0 : (random.next() >>> 0) % options);
}

/** Returns the choices of a list, and harmless ones after its end. */
function choicesIn(list: readonly number[]): Choose {
  let position = 0;
  return (options) => (options < 2 ? 0 : (list[position++] ?? 0) % options);
}

/** Runs a schedule. @returns what must not happen and happened */
export async function violationsIn(scenario: Scenario, choose: Choose, trace?: string[]): Promise<readonly string[]> {
  const world = new World(choose, trace);
  try {
    await scenario(world);
  } catch (error) {
    world.violated(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return world.violations;
}

/** Runs the schedules of some seeds. @returns the first seed in whose schedule something happens that must not, and what */
export async function firstViolation(
  scenario: Scenario,
  seeds: Iterable<number>,
): Promise<{ readonly seed: number; readonly violations: readonly string[] } | undefined> {
  for (const seed of seeds) {
    const violations = await violationsIn(scenario, choicesOf(seed));
    if (violations.length > 0) return { seed, violations };
  }
  return undefined;
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed++) yield seed;
}

/** Shrinking ends after this time, in milliseconds. */
const SHRINK_MS = 20_000;

/** Returns the steps of the simplest schedule like that of the seed in which something happens that must not. */
export async function simplestSteps(scenario: Scenario, seed: number): Promise<readonly string[]> {
  const made: number[] = [];
  const choose = choicesOf(seed);
  await violationsIn(scenario, (options) => {
    const choice = choose(options);
    if (options > 1) made.push(choice);
    return choice;
  });
  let simplest: readonly number[] = made;
  const choices = fc.array(fc.nat({ max: 1000 }), { maxLength: made.length, size: 'max' });
  const property = fc.asyncProperty(choices, async (list) => {
    const violations = await violationsIn(scenario, choicesIn(list));
    // Shrinking may end by its time limit.
    if (violations.length > 0) simplest = list;
    return violations.length === 0;
  });
  await fc.check(property, {
    examples: [[made]],
    numRuns: 1,
    interruptAfterTimeLimit: SHRINK_MS,
  });
  const trace: string[] = [];
  await violationsIn(scenario, choicesIn(simplest), trace);
  return trace.slice(0, 1 + trace.findIndex((step) => step.includes('VIOLATION')));
}
