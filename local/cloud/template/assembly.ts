import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { CloudError, required } from '../cloud-error.ts';
import type { Json } from '../json.ts';

const json: z.ZodType<Json> = z.json();

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), json).default({}),
      /** A stack refuses it. */
      Condition: z.string().optional(),
    }),
  ),
  Outputs: z.record(z.string(), z.object({ Value: json, Condition: z.string().optional() })).default({}),
});

const manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({ type: z.string(), properties: z.object({ templateFile: z.string() }).partial().optional() }),
  ),
});

const assets = z.object({ files: z.record(z.string(), z.object({ source: z.object({ path: z.string() }) })) });

export type Assembly = ReturnType<typeof readAssembly>;

/** Reads the only stack of a cloud assembly. @throws CloudError when the folder holds no stack or several */
export function readAssembly(directory: string) {
  const readJson = (file: string): unknown => JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const { artifacts } = manifest.parse(readJson('manifest.json'));
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const [stack] = stacks;
  const file = stack?.[1].properties?.templateFile;
  if (stack === undefined || file === undefined || stacks.length > 1) {
    throw new CloudError(`${directory} holds ${stacks.length} stacks. The local cloud runs exactly one`);
  }
  const { files } = assets.parse(readJson(file.replace('.template.json', '.assets.json')));
  return {
    stackName: stack[0],
    template: template.parse(readJson(file)),
    /** The file or folder of the asset with this key of the bucket of assets, absolute. @throws CloudError when there is none */
    assetPath: (key: string): string =>
      join(directory, required(files[key.replace(/\.zip$/, '')], `${directory} holds no asset ${key}`).source.path),
  };
}

const configuration = z.object({ context: z.record(z.string(), z.unknown()) });

/**
 * Synthesizes an app with the environment that the CDK's command line gives it, in a separate thread: the engines start at the same
 * time, and the CDK's memory is released at the end.
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
      // The validation with CloudFormation's rules is for deployments, and takes longer than the synthesis. Traces of the constructs would be in no template.
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
