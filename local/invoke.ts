import { readFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { Argument, Command } from 'commander';
import { constructOf } from '../cli/connection.ts';
import { FUNCTIONS, type FunctionName, logOutput } from '../src/deployment/outputs.ts';
import { CloudError } from './cloud/cloud-error.ts';
import { startLocalCloud } from './local-cloud.ts';

// Gives one event to one bundle, as it is deployed, in the service of a data folder. While it runs, `npm start` cannot use the folder.
await new Command('npm run invoke --')
  .description('Invokes a function with an event. Prints what it logs on stderr, and its answer on stdout.')
  .addArgument(new Argument('<function>', 'the folder of the function in lambdas/').choices(FUNCTIONS))
  .argument('<event.json>', 'file with the event, as Lambda gives it to the function; - for stdin')
  .option('--data <folder>', 'folder with the state of the service', '.local')
  .option('--inspect', 'wait until a debugger is attached; the function then has no timeout', false)
  .action(async (name: FunctionName, file: string, options: { data: string; inspect: boolean }) => {
    const event: unknown = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
    process.env.VA_WAVE_LOCAL_LOG_COPY = '/dev/stderr';
    if (options.inspect) inspector.open(0, '127.0.0.1', true);
    const cloud = await startLocalCloud({ data: options.data, print: (line) => console.error(line) });
    try {
      // The name of a function's log group has that of its construct, with which the function's logical id begins.
      const construct = constructOf(cloud.outputs[logOutput(name)] ?? '');
      const fn = cloud.functions.find(({ logicalId }) => logicalId.startsWith(`${construct}Function`));
      if (fn === undefined) throw new CloudError(`The stack has no function ${name}: it is deployed with an option`);
      const { hasFailed, payload } = await cloud.invoke(fn.logicalId, event);
      console.log(payload);
      process.exitCode = hasFailed ? 1 : 0;
    } finally {
      await cloud.stop();
    }
  })
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof CloudError ? error.message : error);
    process.exitCode = 1;
  });
process.exit();
