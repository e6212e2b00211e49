import { openDeployment } from '../../../cli/deployment.ts';
import type { LocalCloud } from '../../../local/local-cloud.ts';
import { capturedRun } from '../cli/captured-run.ts';

/** Runs commands with --json against a local cloud, in this process. */
export function commandLineOf(cloud: LocalCloud) {
  const deployment = openDeployment(cloud.outputs, {
    endpoint: cloud.gatewayUrl,
    region: cloud.region,
    credentials: cloud.credentials,
  });
  const run = (...words: readonly string[]) =>
    capturedRun(
      words,
      async () => deployment,
      async () => true,
    );
  return {
    run,
    /** Runs a command that must succeed. @returns its JSON output */
    json: async <Result>(...words: readonly string[]): Promise<Result> => {
      const { code, out, err } = await run(...words);
      if (code !== 0) throw new Error(`Exit code ${code}: ${err}`);
      return JSON.parse(out);
    },
  };
}
