import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cognitoClient } from '../../src/adapters/aws-clients.ts';
import { ensureUser } from '../../src/adapters/user-pool.ts';

let server: Server;
let attributes: { readonly Name: string; readonly Value: string }[];

beforeAll(async () => {
  // This user pool has a login for every address.
  server = createServer((request, response) => {
    const operation = request.headers['x-amz-target']?.toString().split('.')[1];
    request.resume().on('end', () => {
      const exists = { __type: 'UsernameExistsException', message: 'User account already exists' };
      const [status, body] =
        operation === 'AdminGetUser' ? [200, { Username: 'sub-1', UserAttributes: attributes }] : [400, exists];
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const find = async () => {
  const client = cognitoClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
  try {
    return await ensureUser(client, 'pool')('ada@example.com');
  } finally {
    client.destroy();
  }
};

test.each([
  ['verified', [{ Name: 'email_verified', Value: 'true' }], true],
  ['not verified', [{ Name: 'email_verified', Value: 'false' }], false],
  ['without the attribute', [], false],
])('an address that is %s', async (_, more, verified) => {
  attributes = [{ Name: 'sub', Value: 'sub-1' }, { Name: 'email', Value: 'ada@example.com' }, ...more];
  expect(await find()).toEqual({ sub: 'sub-1', invited: false, verified });
});
