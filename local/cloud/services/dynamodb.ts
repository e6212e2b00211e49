import { Pool } from 'undici';
import type { Check } from '../access/authorizer.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { DynamoProcess } from '../engines/dynoxide.ts';
import {
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonResponse,
  jsonService,
  type Operation,
  objectsOf,
  passedOn,
  ServiceError,
  textOf,
  UnknownOperation,
} from '../gateway.ts';
import { isList, isObject, type JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';

/** Items that one step of a sweep reads. The engine needs a few milliseconds for them. */
const SWEEP_ITEMS = 250;

/** The engine requires a signature, but does not check it. */
const OWN_SIGNATURE = `AWS4-HMAC-SHA256 Credential=local/20200101/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`;

type Table = Resource<'AWS::DynamoDB::Table'>;

/** The tables of the template in a real engine. */
export class Tables {
  readonly #process: DynamoProcess;
  readonly #pool: Pool;
  readonly #tables: readonly Table[];
  /** By table: the key after which the next sweep goes on. */
  readonly #sweptTo = new Map<string, JsonObject>();

  constructor(process: DynamoProcess, tables: readonly Table[]) {
    this.#process = process;
    const { origin, connect } = process;
    this.#pool = new Pool(origin, { connections: 64, ...(connect === undefined ? {} : { connect }) });
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
  async create(): Promise<void> {
    await Promise.all(this.#tables.map((table) => this.#create(table)));
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

  async #create({ ref: TableName, properties: { AttributeDefinitions, KeySchema } }: Table): Promise<void> {
    try {
      await this.#call('CreateTable', { TableName, BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions, KeySchema });
    } catch (error) {
      if (!isRefusal(error, 'ResourceInUseException')) throw error;
      const { Table: stored } = await this.#call('DescribeTable', { TableName });
      const keys = (schema: unknown) => (isList(schema) ? schema : []).filter(isObject).map((key) => key.AttributeName);
      if (isObject(stored) && `${keys(stored.KeySchema)}` === `${keys(KeySchema)}`) return;
      throw new CloudError(
        `The table ${TableName} is stored with other keys than the stack gives it now. Delete the data folder`,
      );
    }
  }

  async #sweepTable({ ref: TableName, properties }: Table, now: number): Promise<void> {
    const ttl = properties.TimeToLiveSpecification;
    if (ttl?.Enabled !== true) return;
    const expired = '#ttl < :now';
    const condition = {
      ExpressionAttributeNames: { '#ttl': ttl.AttributeName },
      ExpressionAttributeValues: { ':now': { N: String(now) } },
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
        if (!isRefusal(error, 'ConditionalCheckFailedException')) throw error;
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
    const code = String(result.__type).split('#').at(-1) ?? '';
    throw new ServiceError(code, String(result.message ?? result.Message), status);
  }
}

const isRefusal = (error: unknown, code: string): boolean => error instanceof ServiceError && error.code === code;

/** The members of a transaction. Each is checked like the corresponding single call. */
const MEMBER_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** The statements of PartiQL that change an item, with the table. */
const STATEMENT = /^(?:(?<insert>INSERT INTO)|UPDATE) "(?<table>[\w.-]+)" /;

/** DynamoDB. The gateway checks permissions, and the engine answers. */
export function dynamoDb(tables: Tables): AwsService {
  const answer = (_: JsonObject, request: AwsRequest) => tables.forward(request);
  const onTable = (operation: string): readonly [string, Operation] => [
    operation,
    { checks: (parameters) => [check(operation, textOf(parameters, 'TableName'))], answer },
  ];
  const onTables = (operation: string): readonly [string, Operation] => [
    operation,
    { checks: ({ RequestItems }) => tablesOf(RequestItems).map((table) => check(operation, table)), answer },
  ];
  return jsonService('dynamodb', {
    ...Object.fromEntries(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan'].map(onTable)),
    ...Object.fromEntries(['BatchGetItem', 'BatchWriteItem'].map(onTables)),
    TransactWriteItems: {
      checks: (parameters) => objectsOf(parameters, 'TransactItems').flatMap(memberChecks),
      answer,
    },
    BatchExecuteStatement: {
      checks: (parameters) => objectsOf(parameters, 'Statements').map(statementCheck),
      answer: (parameters, { headers }) => tables.executeBatch(headers, parameters),
    },
    ListTables: { checks: () => [{ action: 'dynamodb:ListTables', resource: '*' }], answer },
  });
}

const check = (action: string, table: string): Check => ({
  action: `dynamodb:${action}`,
  resource: table.startsWith('arn:') ? table : `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`,
});

const memberChecks = (item: JsonObject): Check[] =>
  Object.entries(item).map(([kind, member]) => {
    const action = MEMBER_ACTIONS[kind];
    if (action === undefined || !isObject(member)) {
      throw new UnknownOperation('dynamodb', `TransactWriteItems ${kind}`);
    }
    return check(action, textOf(member, 'TableName'));
  });

function statementCheck(member: JsonObject): Check {
  const { insert, table } = STATEMENT.exec(textOf(member, 'Statement'))?.groups ?? {};
  if (table === undefined) throw new UnknownOperation('dynamodb', 'BatchExecuteStatement with this statement');
  return check(insert === undefined ? 'PartiQLUpdate' : 'PartiQLInsert', table);
}

function tablesOf(items: JsonObject[string] | undefined): readonly string[] {
  if (!isObject(items)) throw new ServiceError('ValidationException', 'RequestItems must be an object');
  return Object.keys(items);
}
