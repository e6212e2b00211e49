/**
 * Compiles patterns and remembers the `max` that were used last: compiling takes milliseconds, matching much less.
 * @throws what `compile` throws for a pattern that is not of its syntax
 */
export function compiledPatterns<T>(max: number, compile: (pattern: string) => T): (pattern: string) => T {
  // In the order of use, because a Map keeps the order in which keys were set.
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
