import { spawn } from 'node:child_process';
import { connect } from 'node:net';

// Runs the DynamoDB engine: `engine-host.mjs <address> <port> <program> <argument …>`. It may run in a network of its own, which the process
// that started it cannot enter. So it opens the connections there and hands them over: each message is the number of a connection that is
// wanted, and the answer has the socket. JavaScript, because Node needs 11 MB more for a module in TypeScript.

const [address, port, program, ...words] = process.argv.slice(2);
const engine = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
engine.on('error', ({ message }) => process.stderr.write(message));
engine.on('close', (code) => process.exit(code ?? 1));
// The other process has ended, or wants this one to end. After TERM, the engine completes its writes. Not at `disconnect`: it does not
// come while a socket that was handed over waits for its receipt.
process.stdin.on('close', () => engine.kill('SIGTERM')).resume();

process.on('message', (number) => {
  const answer = (error, socket) => process.connected && process.send({ number, error }, socket, () => {});
  const socket = connect({ host: address, port: Number(port), noDelay: true });
  const failed = ({ message }) => answer(message);
  socket.once('error', failed);
  socket.once('connect', () => {
    socket.off('error', failed);
    answer(undefined, socket);
  });
});
