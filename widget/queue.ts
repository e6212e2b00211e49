/** The page's one-line stub: a function that keeps its calls in `q` until the loader starts (docs/widget.md). */
export type Stub = { q: readonly unknown[] };

/** Returns the stub that the page has set as `vaWave`, or undefined when there is none or the widget has replaced it. */
export function stubOf(page: Window): Stub | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(page, 'vaWave')?.value;
  return typeof value === 'function' && 'q' in value && Array.isArray(value.q) ? Object(value) : undefined;
}

/** Removes and returns the calls that the stub has kept, each as a list of its values. */
export function takeCalls(stub: Stub): readonly unknown[][] {
  const calls = stub.q.map((call) => Array.from(Object(call)));
  stub.q = [];
  return calls;
}
