/** Returns a change without the settings that are undefined, so that a schema does not replace them by their defaults. */
export function withoutUndefined(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
