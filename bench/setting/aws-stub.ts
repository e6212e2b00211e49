import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Keys of the service in the format of Secrets Manager. */
export const SEALING_KEY = { kid: 'bench', key: 'a sealing key for the benchmark only' };
export const TOKEN_KEY = { kid: 'bench', key: 'a token key for the benchmark only' };

const SECRETS: Readonly<Record<string, string>> = {
  'token-keys': JSON.stringify(TOKEN_KEY),
  'sealing-key': JSON.stringify(SEALING_KEY),
  'origin-secret': 'an origin secret of the benchmark',
};

/** Starts a minimal Secrets Manager, SQS and EventBridge. They answer at once and store nothing. */
export async function startAwsStub(): Promise<{ readonly origin: string; readonly stop: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const answer = answerTo(operation, Buffer.concat(chunks));
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answerTo(operation: string, body: Buffer): object {
  if (operation === 'GetSecretValue') return { SecretString: SECRETS[JSON.parse(body.toString()).SecretId] };
  if (operation === 'PutEvents') return { FailedEntryCount: 0, Entries: [{ EventId: 'bench' }] };
  return { MessageId: 'bench' };
}
