import {
  bytesOf,
  type HeaderSource,
  headerValue,
  kindOf,
  MAX_BODY_BYTES,
  tooLarge,
  VerificationError,
} from './verification.ts';

/** The service waits this long for an answer, so a body that takes longer has lost its sender. */
const BODY_TIMEOUT_MS = 5000;

/**
 * A request as a framework passes it: of Node, Express, Fastify (`request`), Koa or Hono (`context.req`), a fetch `Request`, or the HTTP
 * event of a Lambda function.
 */
export type ReceivedRequest = {
  readonly headers?: HeaderSource | null | undefined;
  /** Bytes that `express.raw()` or another parser kept, or the stream of a fetch `Request`. A parsed body cannot be verified. */
  readonly body?: unknown;
  /** Bytes that a host kept, such as Google Cloud Functions, or NestJS with `rawBody: true`. */
  readonly rawBody?: unknown;
  /** The request that Fastify and Hono wrap. */
  readonly raw?: ReceivedRequest;
  /** Of a Lambda event. */
  readonly isBase64Encoded?: boolean | undefined;
  /** Of a fetch `Request`. */
  readonly bodyUsed?: boolean;
  /** Of a Node stream. */
  readonly readableDidRead?: boolean;
  readonly iterator?: (options: { readonly destroyOnReturn: boolean }) => AsyncIterator<unknown>;
};

/**
 * Returns the bytes of a request's body: those that a parser or a host kept, else those of the stream, at most 1 MiB within 5 seconds.
 * They are empty for a request without a body, as with GET.
 * @throws TypeError when the body was read or parsed before, and for a value that is no request
 * @throws VerificationError `body_too_large` above 1 MiB, `body_timeout` after 5 seconds
 */
export async function readRawBody(request: ReceivedRequest): Promise<Uint8Array> {
  if (typeof request !== 'object' || request === null) throw unreadable(request);
  const { body, raw, isBase64Encoded } = request;
  const isLambda = isBase64Encoded !== undefined;
  // A body of null is empty. A parser, such as middy's, keeps the text of a Lambda event as `rawBody`.
  const text = [body ?? '', request.rawBody].find((one) => typeof one === 'string');
  if (isLambda && text !== undefined) return Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8');
  const keptBytes = bytesOf(request.rawBody) ?? bytesOf(body);
  if (keptBytes !== undefined) return keptBytes;
  if (raw !== undefined) return readRawBody(raw);
  if (isLambda || request.bodyUsed === true || request.readableDidRead === true) {
    const parsers = 'express.json() or httpJsonBodyParser()';
    const remedy = `Verify before any parser, such as ${parsers}, or let it keep the bytes in request.rawBody`;
    throw new TypeError(`The body was read before its signature could be checked. ${remedy}`);
  }
  if (Number(headerValue(request.headers ?? {}, 'content-length')) > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  if (isWebStream(body)) return readStream(webIterator(body));
  // A `for await` over the request itself would destroy the socket before the answer to a large body is written.
  if (request.iterator !== undefined) return readStream(request.iterator({ destroyOnReturn: false }));
  // A fetch `Request` without a body has no stream.
  if (request.bodyUsed === false) return new Uint8Array();
  throw unreadable(request);
}

function unreadable(value: unknown): TypeError {
  return new TypeError(
    `readRawBody takes the request of Node, Koa (context.req), Fastify, Hono, fetch or Lambda; it got ${kindOf(value)}`,
  );
}

type WebStream = { getReader(): WebReader };
type WebReader = { read(): Promise<IteratorResult<unknown, unknown>>; cancel(): Promise<void> };

function isWebStream(body: unknown): body is WebStream {
  return typeof body === 'object' && body !== null && 'getReader' in body;
}

function webIterator(stream: WebStream): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return { next: () => reader.read(), return: async () => ({ done: true, value: await reader.cancel() }) };
}

async function readStream(stream: AsyncIterator<unknown>): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `The body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds`;
    timer = setTimeout(() => reject(new VerificationError('body_timeout', message)), BODY_TIMEOUT_MS);
  });
  try {
    return await Promise.race([collectedBytes(stream), late]);
  } catch (error) {
    // Nobody waits for the end of a stream that is given up.
    stream.return?.().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function collectedBytes(stream: AsyncIterator<unknown>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
    const chunk = bytesOf(next.value);
    if (chunk === undefined) throw new TypeError(`The body is a stream of ${kindOf(next.value)}, not of bytes`);
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
