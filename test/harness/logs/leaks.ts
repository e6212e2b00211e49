/** A text that only the payloads and answers of tests contain. A log line that contains it has logged a payload. */
export const IN_PAYLOADS_ONLY = 'said by a visitor in a test';

/** Patterns of what no log line may contain, by the names in docs/security.md. */
const LEAKS: Readonly<Record<string, RegExp>> = {
  'a server secret': /ss_[a-z2-7]{20}_[\w-]{20}/,
  'a signing secret': /whsec_[\w-]{20}/,
  'a sealed signing secret': /\bv1\.[\w-]+\.[\w-]{80}/,
  'a token': /\beyJ[\w-]{10,}\.[\w-]{10,}/,
  // Every stack trace contains the digest in an asset's name.
  'a signature': /\bv\d=[\w+/-]{16}|(?<![\w.-])[0-9a-f]{64}(?!\w)/,
  'a key': /key of the benchmark|origin secret of the|usage webhook secret of|DontTellThis/,
  'a payload': new RegExp(IN_PAYLOADS_ONLY),
  'a field that holds a payload or a secret':
    /"\\*(?:values|arguments|context|data|payload|body|usage_webhook|[a-z_]*secret|[a-z_]*token|authorization|x-[a-z-]+)\\*":/i,
};

/** Returns the names of what the line leaks, without the values; empty when it leaks nothing. */
export function leaksIn(line: string): readonly string[] {
  return Object.entries(LEAKS)
    .filter(([, pattern]) => pattern.test(line))
    .map(([name]) => name);
}

/** Returns the parts of the line that identify the code which wrote it, without anything that could be a secret. */
export function redacted(line: string): string {
  const identifying = /"(?:message|service|location)":"[^"]{0,100}"/g;
  return (line.match(identifying) ?? [line.slice(0, 30)]).join(' ').replace(/[\w-]{20,}/g, '…');
}
