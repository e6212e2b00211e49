import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AwsAccess, dynamoDbClient } from '../../../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { startServer } from '../../../harness/server.ts';

type Call = { readonly operation: string; readonly body: string };

/**
 * Returns a client whose calls pass through a proxy. For each call, `answer` replaces the engine's answer, drops it after the engine
 * has processed the call, or keeps it.
 */
export async function through(
  access: AwsAccess & { readonly endpoint: string },
  answer: (call: Call & { readonly count: number }) => object | 'lost' | undefined,
) {
  const calls: Call[] = [];
  const { origin: endpoint, stop } = await startServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const body = await text(request);
    calls.push({ operation, body });
    const own = answer({ operation, body, count: calls.length });
    if (own !== undefined && own !== 'lost') {
      // JSON allows spaces between tokens.
      response.end(JSON.stringify(own, null, 1));
      return;
    }
    const forwarded = httpRequest(access.endpoint, { method: 'POST', headers: request.headers }, (theirs) => {
      if (own === 'lost') theirs.resume().on('end', () => request.socket.destroy());
      else theirs.pipe(response.writeHead(theirs.statusCode ?? 0, theirs.headers));
    });
    forwarded.end(body);
  });
  return { client: dynamoDb(dynamoDbClient({ ...access, endpoint })), calls, stop };
}
