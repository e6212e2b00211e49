import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { inspect } from 'node:util';
import { openInbox } from './inbox.mjs';
import { problemWith } from './verify.mjs';

const { SIGNING_SECRET, PORT = '8080', HOST = '127.0.0.1', INBOX = 'inbox', TLS_CERT, TLS_KEY } = process.env;
if (!SIGNING_SECRET) throw new Error('Set SIGNING_SECRET to the signing secret of the Action');

const MAX_BODY_BYTES = 1024 * 1024;
const inbox = await openInbox(INBOX);

/** @returns {Promise<{ status: number, error?: string }>} */
async function receive(request) {
  if (new URL(request.url, 'http://localhost').pathname !== '/actions') return { status: 404, error: 'Not found' };
  const rawBody = await readBody(request);
  if (rawBody === undefined) return { status: 413, error: 'The body is too large' };
  const problem = problemWith(rawBody, request.headers['x-service-signature'], SIGNING_SECRET);
  if (problem) return problem;
  const name = fileName(rawBody, request.headers);
  if (name === undefined) return { status: 400, error: 'The request is malformed' };
  await inbox.storeOnce(name, rawBody);
  const { 'x-service-trigger': trigger, 'x-service-trigger-ref': ref } = request.headers;
  console.log(`verified: ${trigger} ${inspect(ref)}, kept in ${name}`);
  return { status: 200 };
}

/** Reads the raw bytes, because a parsed body cannot be verified. Resolves to undefined for a body that is too large. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns a name from the id that makes the request unique: an event's id or a form's submission id. Each call of the assistant gets a
 * new id. Returns undefined when the request is malformed.
 */
function fileName(rawBody, headers) {
  const trigger = headers['x-service-trigger'];
  if (!['event', 'ai', 'form'].includes(trigger)) return undefined;
  const body = parseObject(rawBody);
  if (body === undefined) return undefined;
  let id = randomUUID();
  // A GET request has no body. A form then has its id in the header; an event has none.
  if (trigger === 'form') id = body ? body.submission_id : headers['x-service-trigger-ref'];
  else if (trigger === 'event' && body) id = body.id;
  return /^[A-Za-z0-9-]{1,64}$/.test(String(id)) ? `${trigger}-${id}.json` : undefined;
}

/** Returns null for an empty body, and undefined for a body that is not a JSON object. */
function parseObject(rawBody) {
  if (rawBody.length === 0) return null;
  try {
    const value = JSON.parse(rawBody.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function listener(request, response) {
  let answer;
  try {
    answer = await receive(request);
  } catch (error) {
    // A 5xx makes the service send an event again.
    console.error(error);
    answer = { status: 500, error: 'Internal error' };
  }
  if (answer.error) console.log(`refused: ${answer.status} ${answer.error}`);
  if (answer.status === 413) response.setHeader('Connection', 'close');
  response.writeHead(answer.status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(answer.error ? { error: answer.error } : { received: true }));
}

const tls = TLS_CERT && TLS_KEY ? { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) } : undefined;
const server = tls ? createHttpsServer(tls, listener) : createHttpServer(listener);
server.listen(Number(PORT), HOST, () =>
  console.log(`listening on ${tls ? 'https' : 'http'}://${HOST}:${PORT}/actions`),
);
