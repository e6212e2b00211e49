import type { Check } from '../access/authorizer.ts';
import { ACCOUNT, REGION } from '../account.ts';
import type { DynamoEngine } from '../engines/dynamodb.ts';
import { type AwsService, jsonRefusal, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';
import { objectsOf, optionalText, readJsonCall, textOf } from '../gateway/json-protocol.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';

/** Calls about one table, each checked as the action of the same name. */
const TABLE_OPERATIONS: ReadonlySet<string> = new Set([
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'Query',
  'Scan',
  'DescribeTable',
  'DescribeTimeToLive',
  'UpdateTimeToLive',
  'CreateTable',
  'DeleteTable',
  'UpdateTable',
]);

/** The members of a transaction, each checked as the single call that it stands for. */
const MEMBER_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** DynamoDB: the engine answers, the gateway only decides who may ask. */
export function dynamoDb(engine: DynamoEngine, partitionKeys: ReadonlyMap<string, string>): AwsService {
  return {
    refuse: jsonRefusal('1.0'),
    understand(request) {
      const { operation, parameters } = readJsonCall(request);
      return {
        checks: checksOf(operation, parameters, partitionKeys),
        perform: () => engine.forward({ headers: request.headers, body: request.body }),
      };
    },
  };
}

function checksOf(operation: string, parameters: JsonObject, partitionKeys: ReadonlyMap<string, string>): Check[] {
  const check = (action: string, table: string, item: Json | undefined, index?: string): Check => {
    const arn = tableArn(table);
    return {
      action: `dynamodb:${action}`,
      resource: index === undefined ? arn : `${arn}/index/${index}`,
      keys: leadingKey(partitionKeys.get(arn), item),
    };
  };
  if (TABLE_OPERATIONS.has(operation)) {
    const item = parameters.Key ?? parameters.Item;
    return [check(operation, textOf(parameters, 'TableName'), item, optionalText(parameters, 'IndexName'))];
  }
  switch (operation) {
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return objectsOf(parameters, 'TransactItems').flatMap((item) =>
        Object.entries(item).map(([kind, member]) => {
          const action = MEMBER_ACTIONS[kind];
          if (action === undefined || !isObject(member)) throw new UnknownOperation('dynamodb', `${operation} ${kind}`);
          return check(action, textOf(member, 'TableName'), member.Key ?? member.Item);
        }),
      );
    case 'BatchWriteItem':
      return batchTables(parameters).flatMap(([table, requests]) =>
        objectsOf({ requests }, 'requests').flatMap((request) =>
          Object.values(request).map((write) =>
            check(operation, table, isObject(write) ? (write.Item ?? write.Key) : undefined),
          ),
        ),
      );
    case 'BatchGetItem':
      return batchTables(parameters).flatMap(([table, request]) =>
        objectsOf(isObject(request) ? request : {}, 'Keys').map((key) => check(operation, table, key)),
      );
    case 'ListTables':
      return [{ action: 'dynamodb:ListTables', resource: '*' }];
    default:
      throw new UnknownOperation('dynamodb', operation);
  }
}

function batchTables(parameters: JsonObject): [string, Json][] {
  const items = parameters.RequestItems;
  if (!isObject(items)) throw new ServiceError('ValidationException', 'RequestItems must be an object');
  return Object.entries(items);
}

const tableArn = (nameOrArn: string): string =>
  nameOrArn.startsWith('arn:') ? nameOrArn : `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${nameOrArn}`;

/** The partition key of the item that the call is about: policies may be limited to some (`dynamodb:LeadingKeys`). */
function leadingKey(partitionKey: string | undefined, item: Json | undefined): Check['keys'] {
  const attribute = partitionKey !== undefined && isObject(item) ? item[partitionKey] : undefined;
  const value = isObject(attribute) ? (attribute.S ?? attribute.N ?? attribute.B) : undefined;
  return typeof value === 'string' ? { 'dynamodb:leadingkeys': [value] } : {};
}
