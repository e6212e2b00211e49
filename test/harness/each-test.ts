import { addEventHandler, getState } from 'jest-circus';
import { describeFailure } from './failed-test.ts';
import { placeOf } from './seeded-order.ts';

// What jest's own runner does and the light runner does not: it ends a test or hook that hangs, with its name, and knows `--randomize`.

/** No test asserts its own speed. A synthesis, a service or a browser may share the machine with another job. */
const TEST_MAX_MS = 120_000;

/** A test can replace those of the global object. */
const { setTimeout, clearTimeout, setImmediate } = globalThis;

type Added = ReturnType<typeof getState>['currentDescribeBlock']['tests' | 'hooks'][number];

/** Limits of files by the root of their tests. */
const fileLimits = new WeakMap<object, number>();

/** Sets the limit of the tests and hooks that the file of tests declares from now on. */
export function limitTests(ms: number): void {
  fileLimits.set(getState().rootDescribeBlock, ms);
}

/** The errors of promises for which nobody waits. They would end the process, and fail the test that runs instead. */
const unhandledErrors: unknown[] = [];
process.on('unhandledRejection', (error) => unhandledErrors.push(error));

/** Fails the test or hook after its limit, and when it leaves an error that nobody handles. */
function limit(added: Added): void {
  const { fn } = added;
  const timeout = added.timeout ?? fileLimits.get(getState().rootDescribeBlock) ?? TEST_MAX_MS;
  if (fn === undefined) return;
  added.fn = async () => {
    let timer: NodeJS.Timeout | undefined;
    try {
      await Promise.race([
        Reflect.apply(fn, undefined, []),
        new Promise((_, reject) => {
          timer = setTimeout(() => reject(new Error(`Not over after ${timeout} ms`)), timeout);
        }),
      ]);
      // Node tells of a promise that nobody handles when all others have gone on.
      await new Promise((resolve) => setImmediate(resolve));
      const [unhandled] = unhandledErrors.splice(0);
      if (unhandled !== undefined) throw unhandled;
    } catch (error) {
      await describeFailure(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Set by the runner in a run with `--randomize`. */
const { TEST_ORDER_SEED } = process.env;

addEventHandler((event, { currentDescribeBlock: { tests, hooks, children, parent } }) => {
  const added = event.name === 'add_test' ? tests.at(-1) : event.name === 'add_hook' ? hooks.at(-1) : undefined;
  if (added !== undefined) limit(added);
  const places =
    event.name === 'add_test' ? children : event.name === 'start_describe_definition' ? parent?.children : [];
  const last = TEST_ORDER_SEED === undefined ? undefined : places?.pop();
  if (last !== undefined) places?.splice(placeOf(TEST_ORDER_SEED, last.name) % (places.length + 1), 0, last);
});
