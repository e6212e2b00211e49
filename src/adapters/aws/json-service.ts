import * as http from 'node:http';
import * as https from 'node:https';
import { types } from 'node:util';
import type { AwsAccess, Credentials } from './access.ts';
import { ServiceError } from './service-error.ts';
import { type SignPost, signatureV4 } from './signature-v4.ts';

/** A service that speaks the AWS JSON protocol: one path, and the operation in a header. */
export type JsonApi = {
  /** Its name in addresses and signatures. */
  readonly name: string;
  /** What the target header puts before the operation. */
  readonly target: string;
  readonly jsonVersion: '1.0' | '1.1';
  /** Its name in `AWS_ENDPOINT_URL_<name>`. */
  readonly endpointVariable: string;
  /** @default JSON's own */
  readonly stringify?: (input: object) => string;
  /** @default JSON's own */
  readonly parse?: (text: string) => unknown;
};

/** What goes into each operation and what comes out of it. */
export type Operations = Readonly<Record<string, { readonly input: object; readonly output: object }>>;

/**
 * Calls one operation.
 * @throws ServiceError with the service's own name for what is wrong, or `TimeoutError`; and what Node says of a connection that fails
 */
export type JsonService<Of extends Operations> = <Name extends keyof Of & string>(
  operation: Name,
  input: Of[Name]['input'],
) => Promise<Of[Name]['output']>;

export type JsonServiceOptions = {
  /** For one attempt, in milliseconds; the access can name another. */
  readonly timeoutMs: number;
  readonly now?: () => Date;
  /** Waits between attempts, in milliseconds. */
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
};

const ATTEMPTS = 3;
const SOCKETS = 50;
const BACKOFF_MS = 100;

/** Says so itself, with a status that alone would not. */
const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

/**
 * A service of AWS without its SDK, which costs a function several times the CPU per call and most of its cold start
 * (bench/results.md). Signs with Signature Version 4, keeps its connections, and makes an attempt again, three in all, when none was
 * answered or the service was at fault or asked for less; like the SDK, also a write whose answer did not come.
 */
export function jsonService<Of extends Operations>(
  api: JsonApi,
  access: AwsAccess,
  options: JsonServiceOptions,
): JsonService<Of> {
  const { now = () => new Date(), random = Math.random } = options;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const { stringify = JSON.stringify, parse = JSON.parse } = api;
  const timeoutMs = access.requestHandler?.requestTimeout ?? options.timeoutMs;
  let made: Destination | undefined;

  const attempt = async (operation: string, body: string): Promise<object> => {
    made ??= destination(api, access);
    const { address, agent, host, request, sign } = made;
    const named = {
      'content-type': `application/x-amz-json-${api.jsonVersion}`,
      host,
      'x-amz-target': `${api.target}.${operation}`,
    };
    const headers = sign(named, body, await credentials(access), now());
    const { status, text } = await post(
      (answered) => request({ ...address, method: 'POST', path: '/', agent, headers }, answered),
      body,
      timeoutMs,
    );
    return result(status, text, parse);
  };

  return async (operation, input) => {
    const body = stringify(input);
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(operation, body);
      } catch (error) {
        if (tries === ATTEMPTS || !mayBeRepeated(error)) throw error;
        await pause(random() * BACKOFF_MS * 2 ** (tries - 1));
      }
    }
  };
}

type Destination = {
  readonly sign: SignPost;
  readonly host: string;
  readonly address: { readonly hostname: string; readonly port: string };
  readonly agent: http.Agent;
  readonly request: typeof http.request;
};

function destination(api: JsonApi, access: AwsAccess): Destination {
  const { env } = process;
  const region = access.region ?? env.AWS_REGION;
  if (region === undefined) throw new Error('Region is missing');
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(
    access.endpoint ??
      env[`AWS_ENDPOINT_URL_${api.endpointVariable}`] ??
      env.AWS_ENDPOINT_URL ??
      `https://${api.name}.${region}.${suffix}`,
  );
  const { Agent, request } = url.protocol === 'http:' ? http : https;
  return {
    sign: signatureV4(api.name, region),
    host: url.host,
    address: { hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port },
    agent: new Agent({ keepAlive: true, maxSockets: SOCKETS }),
    request,
  };
}

async function credentials(access: AwsAccess): Promise<Credentials> {
  if (typeof access.credentials === 'function') return access.credentials();
  if (access.credentials !== undefined) return access.credentials;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined) {
    throw new ServiceError('CredentialsProviderError', 'The environment holds no AWS credentials');
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
}

function post(
  open: (answered: (response: http.IncomingMessage) => void) => http.ClientRequest,
  body: string,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    const request = open((response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    const timer = setTimeout(() => {
      fail(new ServiceError('TimeoutError', `No answer within ${timeoutMs} ms`));
      request.destroy();
    }, timeoutMs);
    request.on('error', fail);
    request.end(body);
  });
}

function result(status: number, text: string, parse: (text: string) => unknown): object {
  const answer = jsonObject(text, parse);
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  const { __type: type, message, Message, ...details } = answer ?? {};
  const name = typeof type === 'string' ? type.slice(type.lastIndexOf('#') + 1) : 'UnknownError';
  throw new ServiceError(name, String(message ?? Message ?? `HTTP ${status}`), status, details);
}

/** An answer is an object; some services say nothing instead of an empty one. */
function jsonObject(text: string, parse: (text: string) => unknown): Readonly<Record<string, unknown>> | undefined {
  if (text === '') return {};
  try {
    const value = parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function mayBeRepeated(error: unknown): boolean {
  // Node's own errors of a connection have a code.
  if (!(error instanceof ServiceError)) return types.isNativeError(error) && 'code' in error;
  if (error.name === 'TimeoutError') return true;
  if (error.status === undefined) return false;
  return error.status >= 500 || error.status === 429 || THROTTLED.has(error.name);
}
