import type { Check } from '../access/authorizer.ts';
import { ACCOUNT, REGION } from '../account.ts';
import type { DynamoEngine } from '../engines/dynamodb.ts';
import { type AwsRequest, type AwsService, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';
import { jsonService, type Operation, objectsOf, textOf } from '../gateway/json-protocol.ts';
import { isObject, type JsonObject } from '../json.ts';

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
  const answer = (_: JsonObject, request: AwsRequest) => engine.forward(request);
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
      answer: (parameters, { headers }) => engine.executeBatch(headers, parameters),
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
