import { startAnswering } from './receiver.ts';
import { networkOfFile, OK, post } from './test-network.ts';

const network = await networkOfFile();

test('sends exactly the headers and bytes of the request', async () => {
  const receiver = await startAnswering(network.identity, OK);
  const outcome = await network.outbound().makeAttempt(post(receiver.port));
  expect(outcome).toEqual({
    status: 200,
    body: Buffer.from('ok'),
    bodyComplete: true,
    latencyMs: expect.any(Number),
    failure: null,
    note: null,
  });
  expect(receiver.requests).toEqual([
    [
      'POST /hook?a=1 HTTP/1.1',
      `Host: receiver.customer.com:${receiver.port}`,
      'Connection: close',
      'Accept-Encoding: identity',
      'Content-Type: application/json',
      'User-Agent: Service-Integration/1.0',
      'Content-Length: 10',
      '',
      '{"a":"é"}',
    ].join('\r\n'),
  ]);
});
