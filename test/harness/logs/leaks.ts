/** Stands in what tests send and are answered, and nowhere else: where it is logged, a payload was. */
export const IN_PAYLOADS_ONLY = 'said by a visitor, and by nobody else';

/** What no line of a log may hold (docs/security.md), by what it is called there. */
const LEAKS: Readonly<Record<string, RegExp>> = {
  'a server secret': /ss_[a-z2-7]{20}_[\w-]{20}/,
  'a signing secret': /whsec_[\w-]{20}/,
  'a sealed signing secret': /\bv1\.[\w-]+\.[\w-]{80}/,
  'a token': /\beyJ[\w-]{10,}\.[\w-]{10,}/,
  // A digest in the name of an asset is in every stack trace.
  'a signature': /v1=[0-9a-f]{16}|(?<![\w.-])[0-9a-f]{64}(?!\w)/,
  'a key': /key of the benchmark|origin secret of the|usage webhook secret of|DontTellThis/,
  'a payload': new RegExp(IN_PAYLOADS_ONLY),
  'a field that holds a payload or a secret':
    /"\\*(?:values|arguments|context|data|payload|body|usage_webhook|[a-z_]*secret|[a-z_]*token|authorization|x-[a-z-]+)\\*":/i,
};

/** What of it the line holds, without the thing itself; empty for a line as it should be. */
export function leaksIn(line: string): readonly string[] {
  return Object.entries(LEAKS)
    .filter(([, pattern]) => pattern.test(line))
    .map(([name]) => name);
}

/** The line with everything taken out that could be a secret: enough to find the code that wrote it. */
export function redacted(line: string): string {
  const said = /"(?:message|service|location)":"[^"]{0,100}"/g;
  return (line.match(said) ?? [line.slice(0, 30)]).join(' ').replace(/[\w-]{20,}/g, '…');
}
