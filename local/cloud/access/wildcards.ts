const compiled = new Map<string, RegExp>();

/** Whether text matches a pattern of IAM: `*` is any characters, `?` is one. */
export function matchesWildcard(pattern: string, text: string, options: { ignoreCase: boolean }): boolean {
  const key = `${options.ignoreCase ? 'i' : ''} ${pattern}`;
  let expression = compiled.get(key);
  if (expression === undefined) {
    const source = pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${source}$`, options.ignoreCase ? 'is' : 's');
    compiled.set(key, expression);
  }
  return expression.test(text);
}

/** As `matchesWildcard`, but part by part between the colons: a `*` in one part of an ARN never reaches into the next. */
export function matchesArn(pattern: string, arn: string): boolean {
  const parts = split(arn);
  return split(pattern).every((part, index) => matchesWildcard(part, parts[index] ?? '', { ignoreCase: false }));
}

/** The sixth part holds everything that is left: resource names may contain colons. */
function split(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}
