import { workerData } from 'node:worker_threads';
import type { App } from 'aws-cdk-lib';

/** What the thread is asked to do. */
export type SynthesisRequest = {
  readonly module: string;
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly outdir: string;
  readonly context: Readonly<Record<string, unknown>>;
};

/** The default export of a module that composes an app. */
export type ComposeApp = (
  app: { readonly outdir: string; readonly postCliContext: Readonly<Record<string, unknown>> },
  options: Readonly<Record<string, string | undefined>>,
) => App;

const request: SynthesisRequest = workerData;
const { default: compose }: { default: ComposeApp } = await import(request.module);
compose({ outdir: request.outdir, postCliContext: request.context }, request.options).synth();
