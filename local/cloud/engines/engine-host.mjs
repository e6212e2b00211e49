import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream';

// Runs the DynamoDB engine: `engine-host.mjs <socket> <port> <program> <argument …>`. The process that started it cannot enter a network of
// its own, and connects through the Unix socket, which has a folder for itself. In the shared network, `<socket>` is empty. JavaScript, because
// Node needs 11 MB more for a module in TypeScript.

const [socketPath, port, program, ...words] = process.argv.slice(2);
const relay = createServer((client) => {
  const connection = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  pipeline(client, connection, client, () => {});
});
if (socketPath !== '') relay.listen(socketPath);
// It says on stderr that it listens, and why it cannot.
const engine = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
engine.on('error', ({ message }) => process.stderr.write(message));
engine.on('close', (code) => {
  if (socketPath !== '') rmSync(dirname(socketPath), { recursive: true });
  process.exit(code ?? 1);
});
// The other process has ended, or wants this one to end. After TERM, the engine completes its writes.
process.stdin.on('close', () => engine.kill('SIGTERM')).resume();
