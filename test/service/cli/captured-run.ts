import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../cli/connection.ts';
import { openDeployment } from '../../../cli/deployment.ts';
import type { CliProcess } from '../../../cli/process.ts';
import { OPERATOR_ARN } from '../../../local/cloud/account.ts';
import type { LocalCloud } from '../../../local/local-cloud.ts';
import { capturedRun } from '../../unit/cli/captured-run.ts';

function commandLine(own: Pick<CliProcess, 'connect' | 'pause'>, options: readonly string[] = []) {
  const run = (...words: readonly string[]) => capturedRun([...options, ...words, '--json'], own);
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

/** Runs commands with --json against a local cloud, in this process. They do not wait. */
export function commandLineOf(cloud: Pick<LocalCloud, 'gatewayUrl' | 'region' | 'credentials' | 'outputs'>) {
  const { gatewayUrl: endpoint, region, credentials } = cloud;
  const deployment = openDeployment(cloud.outputs, { endpoint, region, credentials }, OPERATOR_ARN);
  return commandLine({ connect: async () => deployment, pause: async () => true });
}

/** Runs commands with --json against the service of a ready file, in this process and over one connection. Each must succeed. */
export function commandsOn(readyFile: string): <Result>(...words: readonly string[]) => Promise<Result> {
  let connected: ReturnType<typeof connect> | undefined;
  const connectOnce = (target: Parameters<typeof connect>[0]) => {
    connected ??= connect(target);
    return connected;
  };
  return commandLine({ connect: connectOnce, pause: (ms) => sleep(ms, true) }, ['--local', readyFile]).json;
}
