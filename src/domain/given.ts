/** What a change really names: a setting that is undefined was not given, and must not fall back to its default. */
export function given(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
