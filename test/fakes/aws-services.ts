import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import type { BatchExecuteStatementInput, BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { PutEventsRequest } from '@aws-sdk/client-eventbridge';
import type {
  GetSecretValueRequest,
  PutSecretValueRequest,
  UpdateSecretVersionStageRequest,
} from '@aws-sdk/client-secrets-manager';
import type { PublishInput } from '@aws-sdk/client-sns';
import type { ChangeMessageVisibilityRequest, SendMessageBatchRequest, SendMessageRequest } from '@aws-sdk/client-sqs';
import type {
  BatchGetCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { AwsAccess } from '../../src/adapters/aws-clients.ts';
import { ACCESS } from './memory-clients.ts';

type Values = Readonly<Record<string, unknown>>;

/** Inputs of the operations for which tests define answers. Without an answer for BatchExecuteStatement, each of its statements has its own. */
type Inputs = {
  readonly BatchExecuteStatement: BatchExecuteStatementInput;
  readonly BatchGetItem: BatchGetCommandInput;
  readonly ChangeMessageVisibility: ChangeMessageVisibilityRequest;
  readonly DescribeTable: object;
  readonly FilterLogEvents: object;
  readonly GetItem: GetCommandInput;
  readonly GetSecretValue: GetSecretValueRequest;
  readonly Publish: PublishInput;
  readonly PartiQLInsert: { readonly TableName: string; readonly Item: Values };
  readonly PartiQLUpdate: { readonly TableName: string; readonly Set: Values; readonly Where: Values };
  readonly PutEvents: PutEventsRequest;
  readonly PutItem: PutCommandInput;
  readonly PutSecretValue: PutSecretValueRequest;
  readonly Query: QueryCommandInput;
  readonly SendMessage: SendMessageRequest;
  readonly SendMessageBatch: SendMessageBatchRequest;
  readonly UpdateItem: UpdateCommandInput;
  readonly UpdateSecretVersionStage: UpdateSecretVersionStageRequest;
  readonly UpdateTable: object;
};
type Operation = keyof Inputs;
type Answer = object | Error | (() => Promise<object>);
type Rule = { readonly operation: string; readonly where: object; readonly answers: Answer[] };

/** Fake AWS services that give the answers of a test and record the calls. */
export class FakeAwsServices {
  #rules: Rule[] = [];
  #calls: { readonly operation: string; readonly input: object }[] = [];

  /**
   * Defines the answers to calls of an operation whose input contains `where`. Each call gets the next answer; the last one repeats.
   * A later rule takes precedence over an earlier one.
   */
  on(operation: Operation, where: object, ...answers: Answer[]): void {
    this.#rules.unshift({ operation, where, answers });
  }

  /** Returns the inputs of the calls of an operation so far. */
  callsOf<Name extends Operation>(operation: Name, where: object = {}): readonly Inputs[Name][] {
    const inputs = this.#calls.filter((call) => call.operation === operation).map(({ input }) => input as Inputs[Name]);
    return inputs.filter((input) => holds(input, where));
  }

  reset(): void {
    this.#rules = [];
    this.#calls = [];
  }

  /** Performs an operation. @throws the error of the rule, or Error when there is no rule */
  async perform(operation: string, input: object): Promise<object> {
    this.#calls.push({ operation, input });
    const rule = this.#rules.find((one) => one.operation === operation && holds(input, one.where));
    if (rule === undefined && operation === 'BatchExecuteStatement') {
      const { Statements = [] } = input as BatchExecuteStatementInput;
      return { Responses: await Promise.all(Statements.map((one) => this.#statement(one))) };
    }
    const answer = rule !== undefined && rule.answers.length > 1 ? rule.answers.shift() : rule?.answers[0];
    if (answer === undefined) throw new Error(`The test defines no answer for ${operation}`);
    if (typeof answer === 'function') return answer();
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async #statement({ Statement = '', Parameters = [] }: BatchStatementRequest): Promise<object> {
    const [before = '', where = ''] = Statement.split(' WHERE ');
    const TableName = /"([^"]+)"/.exec(before)?.[1] ?? '';
    const values = Parameters.map((value) => unmarshall({ value }).value);
    const named = (text: string): Values =>
      Object.fromEntries(
        [...text.matchAll(/["'](\w+)["'](?: =|:) \?/g)].map(([, name = '']) => [name, values.shift()]),
      );
    try {
      if (where === '') await this.perform('PartiQLInsert', { TableName, Item: named(before) });
      else await this.perform('PartiQLUpdate', { TableName, Set: named(before), Where: named(where) });
      return {};
    } catch (error) {
      if (!(error instanceof AwsFault)) throw error;
      return { Error: { Code: error.name } };
    }
  }

  /** Returns access for the SDK's clients: without a network, but with requests and responses in AWS's wire format. */
  access(): AwsAccess {
    return {
      ...ACCESS,
      requestHandler: {
        handle: async ({ headers, body }: { readonly headers: Headers; readonly body: Uint8Array | string }) => {
          const sent = typeof body === 'string' ? body : new TextDecoder().decode(body);
          const [statusCode, text] = await answerOnWire(this, headers['x-amz-target'], sent);
          return { response: { statusCode, headers: {}, body: Readable.from([Buffer.from(text)]) } };
        },
      },
    };
  }
}

type Headers = Readonly<Record<string, string | undefined>>;

function holds(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return isDeepStrictEqual(value, wanted);
  if (typeof value !== 'object' || value === null) return false;
  const parts = new Map<string, unknown>(Object.entries(value));
  return Object.entries(wanted).every(([name, part]) => holds(parts.get(name), part));
}

/** An error of an AWS service, as the answer of a rule. */
export class AwsFault extends Error {
  override readonly name: string;
  readonly details: object;

  /**
   * @param name AWS's name of the error, such as `ConditionalCheckFailedException`
   * @param details further members of the response; items with plain values
   */
  constructor(name: string, details: object = {}) {
    super('An error that the test defined');
    this.name = name;
    this.details = details;
  }
}

/**
 * Answers a request in AWS's wire format. An error has a status with which no client tries again. For the rules of a test, the values of
 * DynamoDB and the form of SNS are plain objects.
 */
async function answerOnWire(
  services: FakeAwsServices,
  target: string | undefined,
  text: string,
): Promise<readonly [status: number, body: string]> {
  const [api, operation = ''] = target?.split('.') ?? [];
  const ofDynamoDb = api === 'DynamoDB_20120810';
  try {
    if (target === undefined) {
      const { TopicArn, Subject, Message } = Object.fromEntries(new URLSearchParams(text));
      await services.perform('Publish', { TopicArn, Subject, Message });
      return [200, '<PublishResponse/>'];
    }
    const answered = await services.perform(operation, ofDynamoDb ? plain(text) : JSON.parse(text));
    return [200, ofDynamoDb ? wire(answered) : JSON.stringify(answered)];
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    const details = failure instanceof AwsFault ? failure.details : {};
    return [400, wire({ __type: `fake#${failure.name}`, message: failure.message, ...details })];
  }
}

/**
 * Serves the services over HTTP at `origin`, for clients with `AWS_ENDPOINT_URL`. Does not keep the process alive. A client that did not
 * read an answer in time sends its call again with the same id, and gets the same answer.
 */
export async function listen(services: FakeAwsServices): Promise<{ readonly origin: string }> {
  const answers = new Map<string, ReturnType<typeof answerOnWire>>();
  const server = createServer(async (request, response) => {
    const { 'x-amz-target': target, 'amz-sdk-invocation-id': id } = request.headers;
    const sent = await text(request);
    const invocationId = id?.toString() ?? randomUUID();
    const answer = answers.get(invocationId) ?? answerOnWire(services, target?.toString(), sent);
    answers.set(invocationId, answer);
    const [status, body] = await answer;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  });
  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Members that contain attribute values of DynamoDB. No stored item has an attribute with one of these names. */
const ITEMS = new Set([
  'Key',
  'Item',
  'ExpressionAttributeValues',
  'Attributes',
  'LastEvaluatedKey',
  'ExclusiveStartKey',
]);

const plain = (text: string) => JSON.parse(text, (name, value) => (ITEMS.has(name) ? unmarshall(value) : value));

const wire = (body: object) =>
  JSON.stringify(body, (name, value) => {
    if (name === 'Items') return marshallEach(value);
    // The responses of BatchExecuteStatement are a list and have no items here.
    if (name !== 'Responses' || Array.isArray(value)) return ITEMS.has(name) ? marshall(value) : value;
    const tables = Object.entries<readonly object[]>(value);
    return Object.fromEntries(tables.map(([table, items]) => [table, marshallEach(items)]));
  });

const marshallEach = (items: readonly object[]) => items.map((item) => marshall(item));
