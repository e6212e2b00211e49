import { spawn } from 'node:child_process';
import { connect } from 'node:net';

// Runs the DynamoDB engine: `engine-host.mjs <address> <port> <program> <argument …>`. It may run in a network of its own, which the process
// that started it cannot enter. So it opens the connections there and hands them over, one for each message: a relay of their bytes would
// cost 0.1 ms of processor time per call. JavaScript, because Node needs 11 MB more for a module in TypeScript.

const [address, port, program, ...words] = process.argv.slice(2);
// It says on stderr that it listens, and why it cannot.
const engine = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
engine.on('error', ({ message }) => process.stderr.write(message));
engine.on('close', (code) => process.exit(code ?? 1));
// The other process has ended, or wants this one to end. After TERM, the engine completes its writes. Not at `disconnect`: it does not
// come while a socket that was handed over waits for its receipt.
process.stdin.on('close', () => engine.kill('SIGTERM')).resume();

process.on('message', () => {
  const answer = (problem, connection) => process.connected && process.send(problem, connection, () => {});
  const connection = connect({ host: address, port: Number(port), noDelay: true });
  const answerProblem = ({ message }) => answer(message);
  connection.once('error', answerProblem);
  connection.once('connect', () => {
    connection.off('error', answerProblem);
    answer('', connection);
  });
});
