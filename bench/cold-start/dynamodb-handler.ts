import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The least that a function with a database has with AWS's SDK: its client for plain values and one kind of call. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient());
export const handler = (TableName: string) => client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'key' } } }));
