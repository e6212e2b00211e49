import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { dynamoDocumentClient } from '../../src/adapters/dynamodb/client.ts';

/** The least that a function with a database needs: our client and one kind of call. */
const client = dynamoDocumentClient();
export const handler = (TableName: string) => client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'key' } } }));
