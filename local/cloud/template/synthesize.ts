import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { CloudError } from '../cloud-error.ts';
import { isObject } from '../json.ts';
import type { SynthesisRequest } from './synthesis-worker.ts';

/** How an app is composed. */
export type AppModule = {
  /** A module whose default export is a `ComposeApp`. */
  readonly url: URL;
  readonly options: Readonly<Record<string, string | undefined>>;
  /** The project's `cdk.json`: its context is what the CDK's command line would pass. */
  readonly configuration: URL;
};

/** Without this context, the template does not say which asset belongs to which function. */
const ASSET_METADATA = { 'aws:cdk:enable-asset-metadata': true };

/**
 * Synthesizes an app in a separate thread. The CDK's memory is released at the end, and the engines start at the same time.
 * @param outdir folder of the cloud assembly, absolute; created if need be
 * @throws CloudError with the first lines of what synthesis complained about
 */
export async function synthesize(app: AppModule, outdir: string): Promise<void> {
  const request: SynthesisRequest = {
    module: app.url.href,
    options: app.options,
    outdir,
    context: { ...projectContext(app.configuration), ...ASSET_METADATA },
  };
  const worker = new Worker(new URL('./synthesis-worker.ts', import.meta.url), {
    workerData: request,
    stdout: true,
    stderr: true,
    execArgv: [],
    // The validation with CloudFormation's rules is for deployments, and takes longer than the synthesis. No template has a stack trace.
    env: { ...process.env, CDK_VALIDATION: 'false', CDK_DISABLE_STACK_TRACE: '1' },
  });
  let complaint = '';
  // The output of the CDK is shown only when the synthesis fails.
  worker.stdout.resume();
  worker.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('error', (error) =>
      reject(new CloudError(`The app cannot be synthesized: ${error.stack ?? error.message}`)),
    );
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new CloudError(`The app cannot be synthesized:\n${complaint}`));
    });
  });
}

function projectContext(file: URL): Readonly<Record<string, unknown>> {
  const configuration: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const context = isObject(configuration) ? configuration.context : undefined;
  return isObject(context) ? context : {};
}
