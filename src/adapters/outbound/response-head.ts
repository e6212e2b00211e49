/** A status line of HTTP/1.0 or HTTP/1.1, by the words that white space separates (RFC 9112, 4). */
const STATUS_LINE = /^\r*HTTP\/1\.[01][ \t]+(\d{3})(?:[ \t\r]|$)/;
const STATUS_LINE_START = 'HTTP/1.';
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/;
const BODY_HEADERS = /content-length|transfer-encoding/i;

/**
 * Creates a reader of the heads of one response: of what its bytes say, whatever the parser thinks of them. The parser reports neither the name of the protocol nor, when it refuses a head, the
 * status. It finds status and length only by whole lines, and leaves everything else to the parser.
 */
export function readResponseHead() {
  let place: 'status line' | 'interim head' | 'head' | 'body' | 'no response' = 'status line';
  let status: number | undefined;
  let bytes = 0;
  /** What is not a complete line yet, and after the head everything. */
  let rest: string | undefined = '';
  /** Characters of `rest` in which no line end was found. */
  let searched = 0;
  /** The final head without the text of its status line. */
  let head = '';

  const readLine = (line: string): void => {
    const blank = line === '' || line === '\r';
    if (place === 'head') {
      head += `${line}\n`;
      if (blank) place = 'body';
    } else if (place === 'interim head') {
      if (blank) place = 'status line';
    } else if (!/^\r*$/.test(line)) {
      const code = Number(STATUS_LINE.exec(line)?.[1]);
      if (code >= 200 && code <= 599) {
        status = code;
        head = line.endsWith('\r') ? '\r\n' : '\n';
        place = 'head';
        // After 101 the server speaks another protocol.
      } else place = code >= 100 && code <= 199 && code !== 101 ? 'interim head' : 'no response';
    }
  };

  return {
    /** Reads a piece. Must be called with every piece before the parser reads it. */
    read: (piece: Buffer): void => {
      if (rest === undefined) return;
      rest += piece.toString('latin1');
      while (place !== 'body' && place !== 'no response') {
        const end = rest.indexOf('\n', searched);
        if (end < 0) break;
        readLine(rest.slice(0, end));
        rest = rest.slice(end + 1);
        searched = 0;
        bytes += end + 1;
      }
      searched = rest.length;
    },
    /** Returns the status, from 200 to 599, of the final response once its status line is complete. */
    status: (): number | undefined => status,
    /** Returns whether the bytes cannot be a final response in HTTP/1.0 or HTTP/1.1 with such a status. */
    hopeless: (): boolean => {
      const start = (rest ?? '').slice(0, STATUS_LINE_START.length);
      return (
        place === 'no response' ||
        (place === 'status line' && !/^\r/.test(start) && !STATUS_LINE_START.startsWith(start))
      );
    },
    /** Returns the bytes of the head and of the interim heads before it; undefined until it has ended. */
    bytes: (): number | undefined => (place === 'body' ? bytes : undefined),
    /** Returns the bytes of the body, infinite when it ends with the connection; undefined when its end is not certain. */
    bodyBytes: (): number | undefined => (place === 'body' ? bodyBytesOf(head, status) : undefined),
    /**
     * Returns the bytes after the head, once. It is called when the parser has accepted the head, or when the body is read without the parser;
     * nothing is read from then on, so that a body is not kept twice.
     */
    takeRest: (): Buffer | undefined => {
      const taken = rest;
      rest = undefined;
      return taken === undefined ? undefined : Buffer.from(taken, 'latin1');
    },
  };
}

/** @param head from the end of the status line to the empty line at its end */
function bodyBytesOf(head: string, status: number | undefined): number | undefined {
  if (status === 204 || status === 304) return 0;
  const lineEnd = head.includes('\r') ? '\r\n' : '\n';
  // An empty line ends the head for everybody only when it is written as the other lines are.
  if (!head.endsWith(lineEnd + lineEnd) || /\r(?!\n)|\0/.test(head)) return undefined;
  const lengths = new Set<string>();
  // A line that begins with white space continues the one before (RFC 9112, 5.2).
  for (const line of head
    .trimStart()
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(lineEnd)) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined ? BODY_HEADERS.test(line) : name.toLowerCase() === 'transfer-encoding') return undefined;
    if (name?.toLowerCase() === 'content-length') for (const length of value.split(',')) lengths.add(length.trim());
  }
  const [length] = lengths;
  if (length === undefined) return Number.POSITIVE_INFINITY;
  return lengths.size === 1 && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
