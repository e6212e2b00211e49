import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { meteredStream } from '../../../../src/adapters/outbound/metered-stream.ts';
import { startTcp, stopReceivers } from './receiver.ts';

afterEach(stopReceivers);

test.each([1, 10, 60, 300])('%i KB from a server that closes at once are read to their end', async (kilobytes) => {
  const sent = Buffer.alloc(kilobytes * 1024, 'x');
  const { port } = await startTcp((socket) => socket.end(sent));
  const tcp = connect({ host: '127.0.0.1', port });
  await once(tcp, 'connect');
  const received = await buffer(
    meteredStream(tcp, {
      host: 'a.example',
      decryptedBytes: () => sent.length,
      handshakeSecret: () => undefined,
      beforeHandshake: () => undefined,
    }),
  );
  expect(received.length).toBe(sent.length);
});
