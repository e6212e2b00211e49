import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';

const configuration = z.object({ context: z.record(z.string(), z.unknown()) });

/**
 * Synthesizes an app with the environment that the CDK's command line gives it, in a separate thread: the engines start at the same
 * time, and the CDK's memory is released at the end.
 * @param app the module of the app
 * @param cdkJson the project's `cdk.json`, for its context
 * @param outdir folder of the cloud assembly, absolute; created if need be
 * @param more context that the app reads besides
 * @throws CloudError with what synthesis complained about
 */
export async function synthesize(app: URL, cdkJson: URL, outdir: string, more: object = {}): Promise<void> {
  const { context } = configuration.parse(JSON.parse(readFileSync(cdkJson, 'utf8')));
  const thread = new Worker(app, {
    stdout: true,
    stderr: true,
    execArgv: [],
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...more }),
      // The validation with CloudFormation's rules is for deployments, and takes longer than the synthesis. No template has a stack trace.
      CDK_VALIDATION: 'false',
      CDK_DISABLE_STACK_TRACE: '1',
    },
  });
  let complaint = '';
  // The output of the CDK is shown only when the synthesis fails.
  thread.stdout.resume();
  thread.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: string) => reject(new CloudError(`The app cannot be synthesized: ${cause}`));
    thread.once('error', (error) => fail(error.stack ?? error.message));
    thread.once('exit', (code) => (code === 0 ? resolve() : fail(complaint)));
  });
}
