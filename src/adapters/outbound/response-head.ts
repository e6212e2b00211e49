/** A status line of HTTP/1.0 or HTTP/1.1, by the words that white space separates (RFC 9112, 4). */
const STATUS_LINE = /^\r*HTTP\/1\.[01][ \t]+(\d{3})(?:[ \t\r]|$)/;
const STATUS_LINE_START = 'HTTP/1.';
const HEADER_NAME = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*$/;
const BODY_HEADERS = /content-length|transfer-encoding/i;
const LENGTH = /^[ \t]*(\d{1,15})[ \t]*$/;
const LINE_FEED = 10;

/** Limit of one line, and of one header block in the parser, which counts names, values and the reason phrase. */
export const LINE_MAX_BYTES = 16 * 1024;
/** Limit of all bytes before the body, including interim (1xx) responses. The longest head of known servers has 39 KB: ten headers of nginx. */
const BEFORE_BODY_MAX_BYTES = 40 * 1024;
const LINES_MAX = 256;

/**
 * Creates a reader of the heads of one response: of what its bytes say, whatever the parser thinks of them. The parser reports neither the name of the protocol nor, when it refuses a head, the
 * status. It finds status and length only by whole lines, and leaves everything else to the parser. It looks at each byte once.
 */
export function readResponseHead() {
  let place: 'status line' | 'interim head' | 'head' | 'body' | 'no response' = 'status line';
  let status: number | undefined;
  let bytes = 0;
  let lines = 0;
  /** The pieces of a line that is not complete yet, and after the head of the body. */
  let rest: Buffer[] | undefined = [];
  let restBytes = 0;
  /** The first characters of the line, as many as a status line is recognized by. */
  let lineStart = '';
  let tooLong = false;
  let headers = readHeaders({ endsInCarriageReturn: false });
  let bodyBytes: number | undefined;

  const keep = (piece: Buffer): void => {
    rest?.push(piece);
    restBytes += piece.length;
    if (lineStart.length < STATUS_LINE_START.length) {
      lineStart += piece.toString('latin1', 0, STATUS_LINE_START.length - lineStart.length);
    }
  };
  const readLine = (line: string): void => {
    const isBlank = line === '' || line === '\r';
    if (place === 'head') {
      if (isBlank) {
        bodyBytes = headers.bodyBytes(line, status);
        place = 'body';
      } else headers.read(line);
    } else if (place === 'interim head') {
      if (isBlank) place = 'status line';
    } else if (!/^\r*$/.test(line)) {
      const code = Number(STATUS_LINE.exec(line)?.[1]);
      if (code >= 200 && code <= 599) {
        status = code;
        headers = readHeaders({ endsInCarriageReturn: line.endsWith('\r') });
        place = 'head';
        // After 101 the server speaks another protocol.
      } else place = code >= 100 && code <= 199 && code !== 101 ? 'interim head' : 'no response';
    }
  };

  return {
    /** Reads a piece. Must be called with every piece before the parser reads it. */
    read: (piece: Buffer): void => {
      if (rest === undefined) return;
      let start = 0;
      while (place !== 'body' && place !== 'no response') {
        const end = piece.indexOf(LINE_FEED, start);
        keep(piece.subarray(start, end < 0 ? piece.length : end));
        if (end >= 0) lines += 1;
        tooLong ||= restBytes > LINE_MAX_BYTES || lines > LINES_MAX || bytes + restBytes > BEFORE_BODY_MAX_BYTES;
        if (end < 0 || tooLong) return;
        bytes += restBytes + 1;
        readLine(Buffer.concat(rest).toString('latin1'));
        start = end + 1;
        rest = [];
        restBytes = 0;
        lineStart = '';
      }
      keep(piece.subarray(start));
      tooLong ||= place === 'no response' && restBytes > BEFORE_BODY_MAX_BYTES;
    },
    /** Returns the status, from 200 to 599, of the final response once its status line is complete. */
    status: (): number | undefined => status,
    /** Returns whether the bytes cannot be a final response in HTTP/1.0 or HTTP/1.1 with such a status. */
    hopeless: (): boolean =>
      place === 'no response' ||
      (place === 'status line' && !lineStart.startsWith('\r') && !STATUS_LINE_START.startsWith(lineStart)),
    tooLong: (): boolean => tooLong,
    /** Returns the bytes of the head and of the interim heads before it; undefined until it has ended. */
    bytes: (): number | undefined => (place === 'body' ? bytes : undefined),
    /** Returns the bytes of the body, infinite when it ends with the connection; undefined when its end is not certain. */
    bodyBytes: (): number | undefined => bodyBytes,
    /**
     * Returns the bytes after the head, once. It is called when the parser has accepted the head, or when the body is read without the parser;
     * nothing is read from then on, so that a body is not kept twice.
     */
    takeRest: (): Buffer | undefined => {
      const taken = rest && Buffer.concat(rest);
      rest = undefined;
      return taken;
    },
  };
}

/** Creates a reader of the headers of the final head, line by line. @param statusLine how it ends */
function readHeaders(statusLine: { readonly endsInCarriageReturn: boolean }) {
  /** The header that the next line may continue, without its line end. */
  let header = '';
  let headerEndsInCarriageReturn = statusLine.endsInCarriageReturn;
  let hasCarriageReturn = statusLine.endsInCarriageReturn;
  /** Whether the line before the header ends with a bare line feed, so that for some the header is a part of that line. */
  let followsLineFeed = false;
  /** Whether the end of the body is uncertain: for everybody, and for those who end lines only with CRLF. */
  let isUncertain = false;
  let isUncertainWithCarriageReturns = false;
  const lengths = new Set<string | undefined>();

  const readHeader = (): void => {
    const colon = header.indexOf(':');
    const name = HEADER_NAME.exec(header.slice(0, Math.max(0, colon)))?.[1]?.toLowerCase();
    if (name === undefined ? BODY_HEADERS.test(header) : name === 'transfer-encoding') isUncertain = true;
    const isJoined = followsLineFeed || !headerEndsInCarriageReturn;
    if (isJoined && BODY_HEADERS.test(header)) isUncertainWithCarriageReturns = true;
    if (name !== 'content-length') return;
    for (const length of header.slice(colon + 1).split(',')) lengths.add(LENGTH.exec(length)?.[1]);
  };
  return {
    read: (line: string): void => {
      const endsInCarriageReturn = line.endsWith('\r');
      const text = endsInCarriageReturn ? line.slice(0, -1) : line;
      hasCarriageReturn ||= endsInCarriageReturn;
      isUncertain ||= text.includes('\r') || text.includes('\0');
      // A line that begins with white space continues the one before (RFC 9112, 5.2).
      if (line.startsWith(' ') || line.startsWith('\t')) header += ` ${text}`;
      else {
        readHeader();
        followsLineFeed = header !== '' && !headerEndsInCarriageReturn;
        header = text;
      }
      headerEndsInCarriageReturn = endsInCarriageReturn;
    },
    /** Returns the bytes of the body after the blank line: Infinity until the connection ends, undefined when their number is not certain. */
    bodyBytes: (blankLine: string, status: number | undefined): number | undefined => {
      readHeader();
      if (status === 204 || status === 304) return 0;
      hasCarriageReturn ||= blankLine === '\r';
      // An empty line ends the head for everybody only when it is written as the other lines are.
      const isBlankForAll = !hasCarriageReturn || (blankLine === '\r' && headerEndsInCarriageReturn);
      if (!isBlankForAll || isUncertain || (hasCarriageReturn && isUncertainWithCarriageReturns)) return undefined;
      const [length] = lengths;
      if (lengths.size === 0) return Number.POSITIVE_INFINITY;
      return lengths.size === 1 && length !== undefined ? Number(length) : undefined;
    },
  };
}
