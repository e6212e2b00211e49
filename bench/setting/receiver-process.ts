import { createServer } from 'node:https';

// A customer's endpoint that only reads and answers requests. receiver.ts starts this separate process. It closes the connection after an answer to
// `/closing`, and answers `/after/<milliseconds>` after that time.

const [certificate, key] = [process.env.RECEIVER_CERTIFICATE, process.env.RECEIVER_KEY];
const server = createServer({ cert: certificate, key, keepAlive: true }, (request, response) => {
  request.resume().on('end', () => {
    const closing = request.url === '/closing' ? { connection: 'close' } : {};
    const answer = () =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '2', ...closing }).end('{}');
    const [, afterMs] = /^\/after\/(\d+)$/.exec(request.url ?? '') ?? [];
    if (afterMs === undefined) answer();
    else setTimeout(answer, Number(afterMs));
  });
});
// Longer than any pause of a benchmark, so that no contender sends on a connection that is just being closed.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
