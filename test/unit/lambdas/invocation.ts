import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context, SQSEvent } from 'aws-lambda';
import { functionLogger, invocations, type Shell } from '../../../src/functions/invocation.ts';
import { expectContract } from '../../fakes/contract-answer.ts';
import { collect } from '../../harness/logs/collected.ts';

export const REQUEST_ID = '0f9f4a52-0000-4000-8000-00000000feed';

export type Request = {
  readonly method?: string;
  readonly path?: string;
  readonly pathParameters?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  /** Text is sent unchanged, an object as JSON, and bytes in base64. */
  readonly body?: string | object | Buffer;
  readonly base64?: boolean;
  readonly sourceIp?: string;
};

/** Returns an event of the HTTP API (payload format 2.0). */
export function httpEvent(request: Request): APIGatewayProxyEventV2 {
  const { method = 'POST', path = '/', sourceIp = '198.51.100.7' } = request;
  const isBase64Encoded = request.base64 ?? Buffer.isBuffer(request.body);
  const isData = typeof request.body === 'object' && !Buffer.isBuffer(request.body);
  const sent = isData ? JSON.stringify(request.body) : request.body;
  const body = isBase64Encoded && sent !== undefined ? Buffer.from(sent).toString('base64') : sent?.toString();
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: new URLSearchParams(request.query).toString(),
    headers: { host: 'api.example', 'content-type': 'application/json', ...request.headers },
    ...(request.query === undefined ? {} : { queryStringParameters: request.query }),
    ...(request.pathParameters === undefined ? {} : { pathParameters: request.pathParameters }),
    ...(body === undefined ? {} : { body }),
    isBase64Encoded,
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: 'api.example',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: 'test' },
      requestId: 'api-request-1',
      routeKey: `${method} ${path}`,
      stage: '$default',
      time: '04/Mar/2026:05:06:07 +0000',
      timeEpoch: 1_772_600_767_000,
    },
  };
}

/** Returns a message of SQS as Lambda passes it on. */
export const sqsRecord = (
  messageId: string,
  body: string,
  { receipt = 'receipt', receives = 1 } = {},
): SQSEvent['Records'][number] => ({
  messageId,
  receiptHandle: receipt,
  body,
  attributes: {
    ApproximateReceiveCount: String(receives),
    SentTimestamp: '0',
    SenderId: 's',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:queue',
  awsRegion: 'eu-central-1',
});

/** Returns an event of SQS with the message ids `message-0`, `message-1`, … */
export const sqsEvent = (...bodies: readonly (object | string)[]): SQSEvent => ({
  Records: bodies.map((body, index) =>
    sqsRecord(`message-${index}`, typeof body === 'string' ? body : JSON.stringify(body)),
  ),
});

export function lambdaContext(): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'test',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:test',
    memoryLimitInMB: '512',
    awsRequestId: REQUEST_ID,
    logGroupName: 'test',
    logStreamName: 'test',
    getRemainingTimeInMillis: () => 10_000,
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

/** Returns the shell of a function whose log the test reads. */
export function testShell(): Shell {
  const logger = functionLogger('test');
  return { logger, invoke: invocations(logger) };
}

export type Answer = {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed JSON, undefined without a body. */
  readonly body: unknown;
  /** The log lines that the function wrote during the call. */
  readonly log: string;
};

/** Calls a handler of the HTTP API and captures its log. Checks the answer of a public route against the contract. */
export async function call(
  handler: (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>,
  request: Request,
): Promise<Answer> {
  const { result, log } = await logged(() => handler(httpEvent(request), lambdaContext()));
  const answer = {
    status: result.statusCode,
    headers: result.headers ?? {},
    body: result.body === undefined ? undefined : JSON.parse(result.body),
    log,
  };
  if (request.method !== 'OPTIONS') expectContract(request.path ?? '/', answer);
  return answer;
}

/** Runs the work and returns the text that it wrote to the standard streams. */
export async function logged<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly log: string }> {
  const streams = [process.stdout, process.stderr];
  const writes = streams.map((stream) => stream.write);
  let log = '';
  const keep = (chunk: string | Uint8Array): boolean => {
    log += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  for (const stream of streams) stream.write = keep;
  try {
    return { result: await work(), log };
  } finally {
    streams.forEach((stream, index) => {
      const write = writes[index];
      if (write !== undefined) stream.write = write;
    });
    collect(log);
  }
}

/** Returns the metrics of a log: the dimensions and values of each line. */
export const metricsIn = (log: string): readonly object[] =>
  log
    .split('\n')
    .filter((line) => line.includes('CloudWatchMetrics'))
    .map((line) => JSON.parse(line))
    .map(({ _aws, ...values }) => values);

/** Returns the first line of a log with this message. */
export function lineOf(log: string, message: string): Record<string, unknown> | undefined {
  const line = log.split('\n').find((one) => one.includes(JSON.stringify(message)));
  return line === undefined ? undefined : JSON.parse(line);
}
