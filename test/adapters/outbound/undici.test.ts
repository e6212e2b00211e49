import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { startAnswering, stopReceivers } from './receiver.ts';
import { createTestNetwork, HOST, OK, post, type TestNetwork } from './test-network.ts';

/** Why requests to customers do not go through undici (docs/decisions/0005). When this fails, undici is mended: go back to it. */

let network: TestNetwork;
beforeAll(async () => {
  network = await createTestNetwork();
});
afterEach(stopReceivers);
afterAll(() => network.stop());

/** A receiver that says unasked that it goes on, acts, and answers: all at once, or with the answer somewhat later. */
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
  ['at once', false],
  ['later', true],
])('a receiver that sends an unasked 100 Continue, and its answer %s,', (_, later) => {
  test('has acted when undici ends the attempt as failed', async () => {
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

  test('is answered for by deliver()', async () => {
    const { receiver, acted } = await goesOnAndActs(later);
    expect(await network.outbound().deliver(post(receiver.port))).toMatchObject({ status: 200, failure: null });
    expect(acted).toHaveLength(1);
  });
});
