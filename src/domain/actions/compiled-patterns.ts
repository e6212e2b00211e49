/**
 * Returns a function that compiles patterns and caches the `max` most recently used ones. Compiling takes milliseconds, matching much
 * less.
 * @throws the error of `compile` for a pattern with wrong syntax
 */
export function compiledPatterns<T>(max: number, compile: (pattern: string) => T): (pattern: string) => T {
  // A Map keeps the order in which keys were set, so the first key is the least recently used one.
  const known = new Map<string, T>();
  return (pattern) => {
    const expression = known.get(pattern) ?? compile(pattern);
    known.delete(pattern);
    known.set(pattern, expression);
    const oldest = known.keys().next();
    if (known.size > max && oldest.value !== undefined) known.delete(oldest.value);
    return expression;
  };
}
