import { Pool } from 'undici';
import { REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import { type AwsRequest, type AwsResponse, passedOn, ServiceError } from '../gateway/aws-request.ts';
import { jsonResponse } from '../gateway/json-protocol.ts';
import { isList, isObject, type JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';
import type { DynamoProcess } from './dynoxide.ts';

/** DynamoDB ignores an expiry this far in the past, because it is likely a mistake. */
const FIVE_YEARS_S = 5 * 365 * 24 * 60 * 60;

/** Items that one step of a sweep reads. The engine needs a few milliseconds for them. */
const SWEEP_ITEMS = 250;

/** The engine requires a signature, but does not check it. */
const OWN_SIGNATURE = `AWS4-HMAC-SHA256 Credential=local/20200101/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`;

type Table = Resource<'AWS::DynamoDB::Table'>;

/** The tables of the template in a real engine. */
export class DynamoEngine {
  readonly #process: DynamoProcess;
  readonly #pool: Pool;
  readonly #tables: readonly Table[];
  /** By table: the key after which the next sweep goes on. */
  readonly #sweptTo = new Map<string, JsonObject>();

  constructor(process: DynamoProcess, tables: readonly Table[]) {
    this.#process = process;
    this.#pool = new Pool(process.origin, {
      connections: 64,
      ...(process.connect === undefined ? {} : { connect: process.connect }),
    });
    this.#tables = tables;
  }

  /** Forwards a call to the engine unchanged. */
  async forward(call: Pick<AwsRequest, 'headers' | 'body'>): Promise<AwsResponse> {
    const { host: _, connection: __, 'content-length': ___, expect: ____, ...headers } = call.headers;
    const response = await this.#pool.request({ method: 'POST', path: '/', headers, body: call.body });
    const body = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: passedOn(response.headers), body };
  }

  /**
   * BatchExecuteStatement. The statements first run in one transaction, because the engine writes to the disk once per transaction. Only
   * when the transaction is refused does each statement run by itself, with its own result.
   */
  async executeBatch(headers: Readonly<Record<string, string>>, parameters: JsonObject): Promise<AwsResponse> {
    const { Statements, ...more } = parameters;
    const run = (operation: string, body: JsonObject) =>
      this.forward({
        headers: { ...headers, 'x-amz-target': `DynamoDB_20120810.${operation}` },
        body: Buffer.from(JSON.stringify(body)),
      });
    if (isList(Statements) && Statements.length > 1 && Object.keys(more).length === 0) {
      const together = await run('ExecuteTransaction', { TransactStatements: Statements });
      if (together.status === 200) return jsonResponse({ Responses: Statements.map(() => ({})) });
    }
    return run('BatchExecuteStatement', parameters);
  }

  /** Creates the tables that are missing. @throws CloudError when one is there with other keys */
  async createTables(): Promise<void> {
    await Promise.all(this.#tables.map((table) => this.#createTable(table)));
  }

  /**
   * Deletes the expired ones of the next 250 items of each table, so that the time of a sweep does not grow with the table. DynamoDB
   * deletes expired items within some days; the engine does not.
   */
  async sweep(nowMs: number): Promise<void> {
    for (const table of this.#tables) await this.#sweepTable(table, Math.floor(nowMs / 1000));
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
    await this.#process.stop();
  }

  async #createTable({ ref: name, properties }: Table): Promise<void> {
    const { AttributeDefinitions, KeySchema } = properties;
    const wanted = { AttributeDefinitions, KeySchema };
    try {
      await this.#call('CreateTable', { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...wanted });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'ResourceInUseException') throw error;
      const { Table: table } = await this.#call('DescribeTable', { TableName: name });
      if (!isObject(table) || shapeOf(table) !== shapeOf(wanted)) {
        throw new CloudError(
          `The table ${name} is stored with other keys than the stack gives it now. Delete the data folder`,
        );
      }
    }
  }

  async #sweepTable({ ref: TableName, properties }: Table, now: number): Promise<void> {
    const ttl = properties.TimeToLiveSpecification;
    if (ttl?.Enabled !== true) return;
    const expired = '#ttl < :now AND #ttl > :ancient';
    const condition = {
      ExpressionAttributeNames: { '#ttl': ttl.AttributeName },
      ExpressionAttributeValues: { ':now': { N: String(now) }, ':ancient': { N: String(now - FIVE_YEARS_S) } },
    };
    const { Items, LastEvaluatedKey } = await this.#call('Scan', {
      TableName,
      FilterExpression: expired,
      Limit: SWEEP_ITEMS,
      ExclusiveStartKey: this.#sweptTo.get(TableName),
      ...condition,
    });
    for (const item of isList(Items) ? Items.filter(isObject) : []) {
      const Key = Object.fromEntries(properties.KeySchema.map(({ AttributeName: name }) => [name, item[name]]));
      try {
        // A caller may have changed the expiry since the scan.
        await this.#call('DeleteItem', { TableName, Key, ConditionExpression: expired, ...condition });
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'ConditionalCheckFailedException') throw error;
      }
    }
    if (isObject(LastEvaluatedKey)) this.#sweptTo.set(TableName, LastEvaluatedKey);
    else this.#sweptTo.delete(TableName);
  }

  async #call(operation: string, parameters: Readonly<Record<string, unknown>>): Promise<JsonObject> {
    const { status, body } = await this.forward({
      headers: {
        authorization: OWN_SIGNATURE,
        'x-amz-date': '20200101T000000Z',
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
      },
      body: Buffer.from(JSON.stringify(parameters)),
    });
    const answer: unknown = JSON.parse(body.toString() || '{}');
    const result = isObject(answer) ? answer : {};
    if (status < 300) return result;
    throw new ServiceError(
      String(result.__type).split('#').at(-1) ?? '',
      String(result.message ?? result.Message),
      status,
    );
  }
}

/** What cannot be changed in a table that exists, in a form that can be compared. */
function shapeOf(table: Readonly<Record<string, unknown>>): string {
  const list = (value: unknown): string[] =>
    (Array.isArray(value) ? value : []).map((entry) => JSON.stringify(entry, Object.keys(entry).sort())).sort();
  return JSON.stringify([list(table.AttributeDefinitions), list(table.KeySchema)]);
}
