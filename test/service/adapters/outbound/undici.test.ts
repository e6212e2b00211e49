import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { startAnswering } from './receiver.ts';
import { HOST, networkOfFile, OK, post } from './test-network.ts';

/** Shows why the outbound pipeline does not use undici (docs/decisions/0005). When this test fails, undici is fixed and can be used again. */

const network = await networkOfFile();

test.each([
  ['immediately', false],
  ['later', true],
])(
  'after an unexpected 100 Continue, and its response %s, undici fails although the request was handled',
  async (_, later) => {
    const acted: string[] = [];
    const receiver = await startAnswering(network.identity, (request, __, socket: TLSSocket) => {
      acted.push(request);
      if (!later) return `HTTP/1.1 100 Continue\r\n\r\n${OK}`;
      setTimeout(() => socket.writable && socket.write(OK), 50);
      return 'HTTP/1.1 100 Continue\r\n\r\n';
    });
    const client = new Client(`https://127.0.0.1:${receiver.port}`, {
      allowH2: false,
      connect: { ca: network.authority.pem, servername: HOST },
    });
    const attempt = client.request({ method: 'POST', path: '/hook', body: '{}' });
    await expect(attempt).rejects.toMatchObject({ code: 'UND_ERR_SOCKET', message: 'bad response' });
    expect(acted).toHaveLength(1);
    await client.destroy();
    expect(await network.outbound().makeAttempt(post(receiver.port))).toMatchObject({ status: 200, error: null });
    expect(acted).toHaveLength(2);
  },
);
