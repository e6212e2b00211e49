/** The page's one-line stub: a function that keeps its calls in `q` until the loader is there (docs/widget.md). */
export type Stub = { q: readonly unknown[] };

/** The stub that stands in the place of `vaWave`; undefined when there is none, or an instance of ours. */
export function stubOf(page: Window): Stub | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(page, 'vaWave')?.value;
  return typeof value === 'function' && 'q' in value && Array.isArray(value.q) ? Object(value) : undefined;
}

/** The calls that the stub has kept, each as its values; it forgets them. */
export function takeCalls(stub: Stub): readonly unknown[][] {
  const calls = stub.q.map((call) => Array.from(Object(call)));
  stub.q = [];
  return calls;
}
