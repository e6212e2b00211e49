import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The smallest function that uses DynamoDB: the document client of the AWS SDK and one kind of call. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient());
export const handler = (TableName: string) => client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'key' } } }));
