/** What a server sends that is not HTTP/1.1 as RFC 9112 has it, and what becomes of it. docs/delivery.md has this table. */
export type Deviation = {
  readonly what: string;
  /** Whether the status decides, or the code of the failure. */
  readonly outcome: 'the status' | 'response_malformed' | 'connection_closed' | 'timeout';
  /** Whether the caller gets the body, and if not, the code of the error. */
  readonly body: 'read' | 'response_malformed' | 'connection_closed' | 'timeout' | 'none';
  /** Each is sent with several statuses in place of 200, and its body is `ok`. */
  readonly answers: readonly string[];
  /** What the server does after it. @default it waits for more */
  readonly end?: 'closes' | 'resets';
  /** The parser takes it, so that the connection can be used again. */
  readonly accepted?: true;
};

const LINE = 'HTTP/1.1 200 OK\r\n';
const LENGTH = 'Content-Length: 2\r\n';
const BODY = '\r\nok';
const filled = (bytes: number) => `X-Filled: ${'x'.repeat(990)}\r\n`.repeat(bytes / 1000);

export const DEVIATIONS: readonly Deviation[] = [
  {
    what: 'A header folded over two lines',
    outcome: 'the status',
    body: 'read',
    answers: [
      `${LINE}X-Long: a\r\n  b\r\n${LENGTH}${BODY}`,
      `${LINE}X-Long: a\r\n\tb\r\n\tc\r\n${LENGTH}${BODY}`,
      `${LINE}Content-Length:\r\n 2\r\n${BODY}`,
      `${LINE} X-First: a\r\n${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'A bare line feed at the end of one line or all',
    outcome: 'the status',
    body: 'read',
    answers: [
      `${LINE}Content-Security-Policy: default-src a;\nimg-src b\r\n${LENGTH}${BODY}`,
      `${LINE}Content-Security-Policy: default-src a;\n  img-src b\r\n${LENGTH}${BODY}`,
      `${LINE}${LENGTH}${BODY}`.replaceAll('\r', ''),
      `HTTP/1.1 200 OK\n${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'The same `Content-Length` twice',
    outcome: 'the status',
    body: 'read',
    answers: [`${LINE}${LENGTH}${LENGTH}${BODY}`, `${LINE}Content-Length: 2, 2\r\n${BODY}`],
  },
  {
    what: 'A header without a colon, with a space before it, or with forbidden characters',
    outcome: 'the status',
    body: 'read',
    answers: [
      `${LINE}Content-Length : 2\r\n${BODY}`,
      `${LINE}no colon\r\n${LENGTH}${BODY}`,
      `${LINE}X (a): b\r\n${LENGTH}${BODY}`,
      `${LINE}X-Größe: b\r\n${LENGTH}${BODY}`,
      `${LINE}: b\r\n${LENGTH}${BODY}`,
      `${LINE}X: a\u0001b\r\n${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'More than 16 KB of headers',
    outcome: 'the status',
    body: 'read',
    answers: [`${LINE}${filled(20_000)}${LENGTH}${BODY}`, `${LINE}${filled(40_000)}${LENGTH}${BODY}`],
  },
  {
    what: 'Other white space in the status line',
    outcome: 'the status',
    body: 'read',
    answers: [
      `HTTP/1.1  200 OK\r\n${LENGTH}${BODY}`,
      `HTTP/1.1\t200\tOK\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 200 OK\r\r\n${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'A malformed head without a length',
    outcome: 'the status',
    body: 'read',
    answers: [`${LINE}X-Long: a\r\n  b\r\n${BODY}`, `HTTP/1.0 200 OK\nno colon\n\nok`],
    end: 'closes',
  },
  {
    what: 'A malformed interim answer (102, 103)',
    outcome: 'the status',
    body: 'read',
    answers: [
      `HTTP/1.1 103 Early Hints\r\nLink: </a>;\r\n  rel=preload\r\n\r\n${LINE}${LENGTH}${BODY}`,
      `HTTP/1.1 102 Processing\n\n${LINE}${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'A malformed head before a second answer',
    outcome: 'the status',
    body: 'read',
    answers: [`${LINE}X-Long: a\r\n  b\r\n${LENGTH}${BODY}HTTP/1.1 500 Oops\r\n${LENGTH}${BODY}`],
  },
  {
    what: 'Line ends before the status line, any reason phrase or none, `Upgrade` with a status other than 101',
    outcome: 'the status',
    body: 'read',
    answers: [
      `\r\n\r\n${LINE}${LENGTH}${BODY}`,
      `HTTP/1.1 200\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 200 G\u00fcltig\u0001\r\n${LENGTH}${BODY}`,
      `${LINE}Upgrade: h2,h2c\r\nConnection: Upgrade\r\n${LENGTH}${BODY}`,
    ],
    accepted: true,
  },
  {
    what: 'Several lengths, or one that is not a number of at most 15 digits',
    outcome: 'the status',
    body: 'response_malformed',
    answers: [
      `${LINE}${LENGTH}Content-Length: 3\r\n${BODY}`,
      `${LINE}Content-Length: 2, 3\r\n${BODY}`,
      `${LINE}Content-Length: -2\r\n${BODY}`,
      `${LINE}Content-Length: 0x2\r\n${BODY}`,
      `${LINE}Content-Length: ${'9'.repeat(40)}\r\n${BODY}`,
      `${LINE}${LENGTH} 3\r\n${BODY}`,
      `${LINE}X: a\nContent-Length: 2\r\n${BODY}`,
    ],
  },
  {
    what: '`Transfer-Encoding` beside `Content-Length`, or in a malformed head',
    outcome: 'the status',
    body: 'response_malformed',
    answers: [
      `${LINE}${LENGTH}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      `${LINE}X-Long: a\r\n  b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      `${LINE}Transfer-Encoding : chunked\r\n${LENGTH}\r\n2\r\nok\r\n0\r\n\r\n`,
      `${LINE}Transfer-Encoding\u0001: chunked\r\n${LENGTH}\r\n2\r\nok\r\n0\r\n\r\n`,
      `${LINE}X: a\nTransfer-Encoding: chunked\r\n${LENGTH}\r\n2\r\nok\r\n0\r\n\r\n`,
    ],
  },
  {
    what: 'A NUL, a bare carriage return, or an empty line with another ending than the other lines',
    outcome: 'the status',
    body: 'response_malformed',
    answers: [
      `${LINE}X: a\u0000b\r\n${LENGTH}${BODY}`,
      `${LINE}X: a\rContent-Length: 2\r\n${BODY}`,
      `${LINE}X: a\n\nother\r\n${LENGTH}${BODY}`,
      `${LINE}X: a\n\r\nother\r\n${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'More than 40 KB or 256 lines before the body, or a line of more than 16 KB',
    outcome: 'the status',
    body: 'response_malformed',
    answers: [
      `${LINE}${filled(50_000)}${LENGTH}${BODY}`,
      `${LINE}${'X: a\r\n'.repeat(300)}${LENGTH}${BODY}`,
      `${LINE}X: ${'x'.repeat(17_000)}\r\n${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'A status line, and a head that never ends',
    outcome: 'the status',
    body: 'timeout',
    answers: [LINE, `${LINE}X: a\r\n`, `${LINE}X: a\r\n b\r\n`, `${LINE}${LENGTH}`],
  },
  {
    what: 'A status line, and the end of the connection too early',
    outcome: 'the status',
    body: 'connection_closed',
    answers: [LINE, `${LINE}Content-Le`, `${LINE}X: a\r\n b\r\n`, `${LINE}X: a\r\n b\r\nContent-Length: 3\r\n${BODY}`],
    end: 'closes',
  },
  {
    what: 'A status line, and a reset',
    outcome: 'the status',
    body: 'connection_closed',
    answers: [LINE, `${LINE}Content-Le`, `${LINE}X: a\r\n b\r\n`],
    end: 'resets',
  },
  {
    what: 'An incomplete status line, and then nothing',
    outcome: 'timeout',
    body: 'none',
    answers: ['HTTP/1.1 200', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK\r', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2`],
  },
  {
    what: 'An incomplete status line, and the end of the connection',
    outcome: 'connection_closed',
    body: 'none',
    answers: ['', 'HTTP/1.1 20', 'HTTP/1.1 200 OK', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Hints\r\nX: a'],
    end: 'closes',
  },
  {
    what: 'Anything else before the status line',
    outcome: 'response_malformed',
    body: 'none',
    answers: [
      `x${LINE}${LENGTH}${BODY}`,
      ` ${LINE}${LENGTH}${BODY}`,
      `\ufeff${LINE}${LENGTH}${BODY}`,
      `<html>\r\n${LINE}${LENGTH}${BODY}`,
      `X: a\r\n${LINE}${LENGTH}${BODY}`,
    ],
  },
  {
    what: 'Another protocol or version, or a status that is not 200 to 599',
    outcome: 'response_malformed',
    body: 'none',
    answers: [
      `HTTP/2.0 200 OK\r\n${LENGTH}${BODY}`,
      `HTTP/1.2 200 OK\r\n${LENGTH}${BODY}`,
      `http/1.1 200 OK\r\n${LENGTH}${BODY}`,
      `ICY 200 OK\r\n${LENGTH}${BODY}`,
      `RTSP/1.0 200 OK\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 2000 OK\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 200OK\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 OK 200\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 600 High\r\nX: a\r\n b\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 099 Low\r\n${LENGTH}${BODY}`,
      `HTTP/1.1 101 Switching\r\nX: a\r\n b\r\n\r\n${LINE}${LENGTH}${BODY}`,
    ],
  },
];

/** Returns the table of docs/delivery.md: a row for each pair of outcome and body. */
export function deviationsTable(): string {
  const rows = Map.groupBy(DEVIATIONS, ({ outcome, body }) => {
    const decided = outcome === 'the status' ? outcome : `\`${outcome}\``;
    return `${decided} | ${body === 'read' || body === 'none' ? body : `not read, error \`${body}\``}`;
  });
  const lines = [...rows].map(([results, deviations]) => {
    const sent = deviations.map(({ what }) => what.charAt(0).toLowerCase() + what.slice(1));
    return `| ${results} | ${sent.join('; ')} |`;
  });
  return ['| Outcome | Body | When the server sends |', '| --- | --- | --- |', ...lines].join('\n');
}
