import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { ServiceError } from '../../src/adapters/aws/service-error.ts';

// Inputs and answers are as loose here as on the wire.
// biome-ignore lint/suspicious/noExplicitAny: a test looks into them as it likes
type Loose = Record<string, any>;
type Answer = object | Error | ((input: Loose) => object | Promise<object>);
type Rule = { readonly operation: string; readonly where: object; readonly answers: Answer[] };

/** Services of AWS that answer as a test tells them, and remember what they were asked. */
export class FakeAwsServices {
  #rules: Rule[] = [];
  #calls: { readonly operation: string; readonly input: Loose }[] = [];

  /**
   * Answers the calls of an operation whose input holds what `where` holds: with the first answer the first time, and with the
   * last one for good. Later rules go before earlier ones.
   */
  on(operation: string, where: object, ...answers: Answer[]): void {
    this.#rules.unshift({ operation, where, answers });
  }

  /** Inputs of the calls of an operation so far. */
  callsOf(operation: string, where: object = {}): readonly Loose[] {
    return this.#calls
      .filter((call) => call.operation === operation && holds(call.input, where))
      .map(({ input }) => input);
  }

  /** How many calls there were of anything. */
  get callCount(): number {
    return this.#calls.length;
  }

  reset(): void {
    this.#rules = [];
    this.#calls = [];
  }

  /** Performs an operation, as a service that speaks JSON does. @throws what the rule says, or Error when there is no rule */
  // biome-ignore lint/suspicious/noExplicitAny: stands in for every such service
  readonly service = async (operation: string, input: object): Promise<any> => {
    this.#calls.push({ operation, input });
    const rule = this.#rules.find((one) => one.operation === operation && holds(input, one.where));
    const answer = rule !== undefined && rule.answers.length > 1 ? rule.answers.shift() : rule?.answers[0];
    if (answer === undefined) throw new Error(`The test says nothing of ${operation}`);
    if (typeof answer === 'function') return answer(input);
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

function holds(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return isDeepStrictEqual(value, wanted);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(wanted).every(([name, part]) => holds((value as Loose)[name], part));
}

/**
 * The services over HTTP, at `origin`: what clients reach by `AWS_ENDPOINT_URL`. A failure is told so that no client tries again.
 * DynamoDB's values are plain on this side, and so are the forms that SNS is sent. Keeps no process alive.
 */
export async function listen(services: FakeAwsServices): Promise<{ readonly origin: string }> {
  const server = createServer((request, response) => {
    const target = String(request.headers['x-amz-target']).split('.');
    const plain = target[0] === 'DynamoDB_20120810';
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString();
      const form = Object.fromEntries(new URLSearchParams(text));
      const operation = target[1] ?? form.Action ?? '';
      if (operation === form.Action) {
        const published = await services.service(operation, form).catch(() => undefined);
        response.writeHead(published === undefined ? 400 : 200).end(`<${operation}Response/>`);
        return;
      }
      const input = JSON.parse(text);
      let [status, body]: [number, object] = [200, {}];
      try {
        const answer = await services.service(operation, plain ? converted(input, unmarshall) : input);
        body = plain ? converted(answer, marshall) : answer;
      } catch (error) {
        const { name, message } = error as Error;
        const details = error instanceof ServiceError ? error.details : {};
        [status, body] = [
          400,
          { __type: `fake#${name}`, message, ...(plain ? converted(details, marshall) : details) },
        ];
      }
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
    });
  });
  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const ITEMS = ['Key', 'Item', 'ExpressionAttributeValues', 'Attributes', 'LastEvaluatedKey', 'ExclusiveStartKey'];

function converted(body: Loose, convert: (item: Loose) => Loose): Loose {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const each = (items: readonly Loose[]) => items.map((item) => convert(item));
      if (name === 'Items') return [name, each(value)];
      if (name === 'Responses') {
        const tables = Object.entries<readonly Loose[]>(value).map(([table, items]) => [table, each(items)]);
        return [name, Object.fromEntries(tables)];
      }
      return [name, ITEMS.includes(name) ? convert(value) : value];
    }),
  );
}
