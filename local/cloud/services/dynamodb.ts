import type { Check } from '../access/authorizer.ts';
import { ACCOUNT, REGION } from '../account.ts';
import type { DynamoEngine } from '../engines/dynamodb.ts';
import { type AwsService, jsonRefusal, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';
import { objectsOf, readJsonCall, textOf } from '../gateway/json-protocol.ts';
import { isObject, type JsonObject } from '../json.ts';

/** Calls about one table, each checked as the action of the same name. */
const TABLE_OPERATIONS: ReadonlySet<string> = new Set([
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'Query',
  'Scan',
]);

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
export function dynamoDb(engine: DynamoEngine): AwsService {
  return {
    refuse: jsonRefusal('1.0'),
    understand(request) {
      const { operation, parameters } = readJsonCall(request);
      return {
        checks: checksOf(operation, parameters),
        perform: () =>
          operation === 'BatchExecuteStatement'
            ? engine.executeBatch(request.headers, parameters)
            : engine.forward({ headers: request.headers, body: request.body }),
      };
    },
  };
}

function checksOf(operation: string, parameters: JsonObject): Check[] {
  if (TABLE_OPERATIONS.has(operation)) return [check(operation, textOf(parameters, 'TableName'))];
  switch (operation) {
    case 'TransactWriteItems':
      return objectsOf(parameters, 'TransactItems').flatMap((item) =>
        Object.entries(item).map(([kind, member]) => {
          const action = MEMBER_ACTIONS[kind];
          if (action === undefined || !isObject(member)) throw new UnknownOperation('dynamodb', `${operation} ${kind}`);
          return check(action, textOf(member, 'TableName'));
        }),
      );
    case 'BatchWriteItem':
    case 'BatchGetItem': {
      const items = parameters.RequestItems;
      if (!isObject(items)) throw new ServiceError('ValidationException', 'RequestItems must be an object');
      return Object.keys(items).map((table) => check(operation, table));
    }
    case 'BatchExecuteStatement':
      return objectsOf(parameters, 'Statements').map((member) => {
        const { insert, table } = STATEMENT.exec(textOf(member, 'Statement'))?.groups ?? {};
        if (table === undefined) throw new UnknownOperation('dynamodb', `${operation} with this statement`);
        return check(insert === undefined ? 'PartiQLUpdate' : 'PartiQLInsert', table);
      });
    case 'ListTables':
      return [{ action: 'dynamodb:ListTables', resource: '*' }];
    default:
      throw new UnknownOperation('dynamodb', operation);
  }
}

const check = (action: string, table: string): Check => ({
  action: `dynamodb:${action}`,
  resource: table.startsWith('arn:') ? table : `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`,
});
