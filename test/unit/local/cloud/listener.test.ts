import { createServer, request } from 'node:http';
import { jsonMessage, listenOnLoopback, openListener } from '../../../../local/cloud/listener.ts';

test.each([
  ['localhost', true],
  ['LOCALHOST:8787', true],
  ['localhost.:8787', true],
  ['shop.localhost:1', true],
  ['127.0.0.1:8787', true],
  ['127.9.8.7', true],
  ['[::1]:8787', true],
  ['my-tunnel.example', true],
  ['My-Tunnel.Example:443', true],
  ['evil.example', false],
  ['evil.example:8787', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['notlocalhost', false],
  ['other.my-tunnel.example', false],
  ['192.168.1.2', false],
  ['0.0.0.0', false],
  ['[::ffff:127.0.0.1]', false],
  ['[::1', false],
  ['evil.example@localhost', true],
  ['localhost@evil.example', false],
])('a request to the host %j: answered is %s', async (host, answered) => {
  const listener = await openListener(0, listenOnLoopback, ['my-tunnel.example']);
  listener.serve(
    async () => jsonMessage(200, 'answered'),
    () => {},
  );
  const [hostname, port] = listener.address.split(':');
  const status = await new Promise((resolve, reject) => {
    request({ hostname, port, headers: { host } }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
  await listener.close();
  expect(status).toBe(answered ? 200 : 421);
});

test('a connection that cannot be accepted does not end the process', async () => {
  const server = createServer((_, response) => response.end());
  const port = await listenOnLoopback(server, 0);
  server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  server.closeAllConnections();
  server.close();
});
