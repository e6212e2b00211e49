import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { startAnswering, stopReceivers } from './receiver.ts';
import { createTestNetwork, HOST, OK, post, type TestNetwork } from './test-network.ts';

/** Shows why the outbound pipeline does not use undici (docs/decisions/0005). When this test fails, undici is fixed and can be used again. */

let network: TestNetwork;
beforeAll(async () => {
  network = await createTestNetwork();
});
afterEach(stopReceivers);
afterAll(() => network.stop());

/** Starts a receiver that sends an unexpected 100 Continue, handles the request, and responds immediately or a little later. */
async function goesOnAndActs(later: boolean) {
  const acted: string[] = [];
  const receiver = await startAnswering(network.identity, (request, _, socket: TLSSocket) => {
    acted.push(request);
    if (!later) return `HTTP/1.1 100 Continue\r\n\r\n${OK}`;
    setTimeout(() => socket.writable && socket.write(OK), 50);
    return 'HTTP/1.1 100 Continue\r\n\r\n';
  });
  return { receiver, acted };
}

describe.each([
  ['immediately', false],
  ['later', true],
])('a receiver that sends an unexpected 100 Continue, and its response %s,', (_, later) => {
  test('has handled the request when undici ends the attempt as failed', async () => {
    const { receiver, acted } = await goesOnAndActs(later);
    const client = new Client(`https://127.0.0.1:${receiver.port}`, {
      allowH2: false,
      connect: { ca: network.authority.pem, servername: HOST },
    });
    const attempt = client.request({ method: 'POST', path: '/hook', body: '{}' });
    await expect(attempt).rejects.toMatchObject({ code: 'UND_ERR_SOCKET', message: 'bad response' });
    expect(acted).toHaveLength(1);
    await client.destroy();
  });

  test('gets a successful outcome from deliver()', async () => {
    const { receiver, acted } = await goesOnAndActs(later);
    expect(await network.outbound().makeAttempt(post(receiver.port))).toMatchObject({ status: 200, failure: null });
    expect(acted).toHaveLength(1);
  });
});
