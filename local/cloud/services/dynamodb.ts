import { Pool } from 'undici';
import type { ConditionSets } from '../access/policies.ts';
import { arnOf, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { DynamoProcess } from '../engines/dynoxide.ts';
import {
  AwsError,
  type AwsOperation,
  type AwsRequest,
  type AwsService,
  type Demand,
  endToEndHeaders,
  type JsonCall,
  jsonResponse,
  jsonService,
  requireDocumented,
  UnknownOperation,
} from '../gateway.ts';
import { isList, isObject, type JsonRecord, objectsOf, parseObject, textOf } from '../json.ts';
import type { HttpAnswer } from '../listener.ts';
import type { Resource } from '../template/stack.ts';

/** Items that one step of a sweep reads. The engine needs a few milliseconds for them. */
const SWEEP_ITEMS = 250;

/** The engine requires a signature, but does not check it. */
const OWN_HEADERS = {
  authorization: `AWS4-HMAC-SHA256 Credential=local/20200101/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
  'x-amz-date': '20200101T000000Z',
  'content-type': 'application/x-amz-json-1.0',
};

type Table = Resource<'AWS::DynamoDB::Table'>;
export type EngineTables = ReturnType<typeof engineTables>;

export function engineTables(engine: DynamoProcess, tables: readonly Table[]) {
  const { origin, connect } = engine;
  const pool = new Pool(origin, { connections: 64, ...(connect === undefined ? {} : { connect }) });
  /** By table: the key after which the next sweep goes on. */
  const sweptTo = new Map<string, JsonRecord>();

  const forward = async ({ headers, body }: Pick<AwsRequest, 'headers' | 'body'>): Promise<HttpAnswer> => {
    const reply = await pool.request({ method: 'POST', path: '/', headers: endToEndHeaders(headers), body });
    const answer = Buffer.from(await reply.body.arrayBuffer());
    return { status: reply.statusCode, headers: endToEndHeaders(reply.headers), body: answer };
  };

  const call = (operation: string, parameters: object, headers: AwsRequest['headers'] = OWN_HEADERS) =>
    forward({
      headers: { ...headers, 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: Buffer.from(JSON.stringify(parameters)),
    });

  /** @throws ServiceError with the engine's refusal */
  const result = async (operation: string, parameters: object): Promise<JsonRecord> => {
    const { status, body } = await call(operation, parameters);
    const answer = parseObject(body.toString()) ?? {};
    if (status < 300) return answer;
    const code = String(answer.__type).split('#').at(-1) ?? '';
    throw new AwsError(code, String(answer.message ?? answer.Message), status);
  };

  const createTable = async ({ ref: TableName, properties }: Table): Promise<void> => {
    const { AttributeDefinitions, KeySchema, BillingMode } = properties;
    try {
      await result('CreateTable', { TableName, BillingMode, AttributeDefinitions, KeySchema });
    } catch (error) {
      if (!isRefusal(error, 'ResourceInUseException')) throw error;
      const { Table: storedTable } = await result('DescribeTable', { TableName });
      const keys = (schema: unknown) => (isList(schema) ? schema : []).filter(isObject).map((key) => key.AttributeName);
      if (isObject(storedTable) && `${keys(storedTable.KeySchema)}` === `${keys(KeySchema)}`) return;
      throw new CloudError(
        `The table ${TableName} is stored with other keys than the stack gives it now. Delete the data folder`,
      );
    }
  };

  const sweepTable = async ({ ref: TableName, properties }: Table, now: number): Promise<void> => {
    const ttl = properties.TimeToLiveSpecification;
    if (ttl?.Enabled !== true) return;
    const expiryCondition = '#ttl < :now';
    const condition = {
      ExpressionAttributeNames: { '#ttl': ttl.AttributeName },
      ExpressionAttributeValues: { ':now': { N: String(now) } },
    };
    const from = { Limit: SWEEP_ITEMS, ExclusiveStartKey: sweptTo.get(TableName) };
    const scan = { TableName, FilterExpression: expiryCondition, ...from, ...condition };
    const { Items, LastEvaluatedKey } = await result('Scan', scan);
    for (const item of isList(Items) ? Items.filter(isObject) : []) {
      const Key = Object.fromEntries(properties.KeySchema.map(({ AttributeName: name }) => [name, item[name]]));
      try {
        // A caller may have changed the expiry since the scan.
        await result('DeleteItem', { TableName, Key, ConditionExpression: expiryCondition, ...condition });
      } catch (error) {
        if (!isRefusal(error, 'ConditionalCheckFailedException')) throw error;
      }
    }
    if (isObject(LastEvaluatedKey)) sweptTo.set(TableName, LastEvaluatedKey);
    else sweptTo.delete(TableName);
  };

  return {
    forward,
    /** @throws AwsError when a page begins after a key of another table; the engine takes every key */
    requireStartKey({ TableName, ExclusiveStartKey: start }: JsonRecord): void {
      const schema = tables.find(({ ref }) => ref === TableName)?.properties.KeySchema.map((key) => key.AttributeName);
      if (!isObject(start) || schema === undefined) return;
      if (`${Object.keys(start).sort()}` !== `${schema.sort()}`)
        throw new AwsError('ValidationException', 'The provided starting key is invalid');
    },
    /** Returns the partition key of the item of a call; undefined of a call on several. The engine refuses a key that is no text. */
    leadingKeys({ TableName, Item, Key = Item }: JsonRecord): ConditionSets | undefined {
      const schema = tables.find(({ ref }) => ref === TableName)?.properties.KeySchema;
      const name = schema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';
      const value = isObject(Key) ? Key[name] : undefined;
      return isObject(value) ? { 'dynamodb:LeadingKeys': [String(value.S)] } : undefined;
    },
    /** One transaction is one write to the disk. When it is refused, each statement runs by itself, with its result. */
    executeBatch: async (headers: AwsRequest['headers'], parameters: JsonRecord): Promise<HttpAnswer> => {
      const { Statements, ...more } = parameters;
      if (isList(Statements) && Statements.length > 1 && Object.keys(more).length === 0) {
        const together = await call('ExecuteTransaction', { TransactStatements: Statements }, headers);
        if (together.status === 200) return jsonResponse({ Responses: Statements.map(() => ({})) });
      }
      return call('BatchExecuteStatement', parameters, headers);
    },
    /** Creates the tables that are missing. @throws CloudError when one is there with other keys */
    create: async (): Promise<void> => void (await Promise.all(tables.map(createTable))),
    /**
     * Deletes the expired ones of the next 250 items of each table, so that the time of a sweep does not grow with the table. DynamoDB
     * deletes expired items within some days; the engine does not.
     */
    sweep: async (nowMs: number): Promise<void> => {
      for (const table of tables) await sweepTable(table, Math.floor(nowMs / 1000));
    },
    stop: async (): Promise<void> => {
      await pool.destroy();
      await engine.stop();
    },
  };
}

const isRefusal = (error: unknown, code: string): boolean => error instanceof AwsError && error.code === code;

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
export function dynamoDbService(tables: EngineTables): AwsService {
  const forwardedOperation =
    (actionsOf: (call: JsonCall) => readonly Parameters<Demand>[]): AwsOperation =>
    (call) => {
      for (const action of actionsOf(call)) call.demand(...action);
      requireDocumented('dynamodb', call.parameters);
      tables.requireStartKey(call.parameters);
      return tables.forward(call.request);
    };
  const actionOnItem = (action: string, call: JsonRecord) =>
    actionOn(action, textOf(call, 'TableName'), tables.leadingKeys(call));
  const actionsOfItem = (item: JsonRecord) =>
    Object.entries(item).map(([kind, member]) => {
      const action = MEMBER_ACTIONS[kind];
      if (action === undefined || !isObject(member)) {
        throw new UnknownOperation('dynamodb', `TransactWriteItems ${kind}`);
      }
      return actionOnItem(action, member);
    });
  const onTable = forwardedOperation(({ operation, parameters }) => [actionOnItem(operation, parameters)]);
  const onTables = forwardedOperation(({ operation, parameters: { RequestItems: items } }) =>
    // The engine refuses what is no object.
    Object.keys(isObject(items) ? items : {}).map((table) => actionOn(operation, table)),
  );
  return jsonService('dynamodb', {
    GetItem: onTable,
    PutItem: onTable,
    UpdateItem: onTable,
    DeleteItem: onTable,
    Query: onTable,
    Scan: onTable,
    BatchGetItem: onTables,
    BatchWriteItem: onTables,
    TransactWriteItems: forwardedOperation(({ parameters }) =>
      objectsOf(parameters, 'TransactItems').flatMap(actionsOfItem),
    ),
    BatchExecuteStatement: ({ parameters, demand, request: { headers } }) => {
      for (const statement of objectsOf(parameters, 'Statements')) demand(...actionOfStatement(statement));
      return tables.executeBatch(headers, parameters);
    },
    ListTables: forwardedOperation(() => [['dynamodb:ListTables', '*']]),
  });
}

const actionOn = (action: string, table: string, sets?: ConditionSets): Parameters<Demand> => [
  `dynamodb:${action}`,
  table.startsWith('arn:') ? table : arnOf('dynamodb', `table/${table}`),
  sets,
];

function actionOfStatement(member: JsonRecord): Parameters<Demand> {
  const { insert, table } = STATEMENT.exec(textOf(member, 'Statement'))?.groups ?? {};
  if (table === undefined) throw new UnknownOperation('dynamodb', 'BatchExecuteStatement with this statement');
  return actionOn(insert === undefined ? 'PartiQLUpdate' : 'PartiQLInsert', table);
}
