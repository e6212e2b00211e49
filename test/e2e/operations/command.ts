import { openDeployment } from '../../../cli/deployment.ts';
import { runCommandLine } from '../../../cli/program.ts';
import type { LocalCloud } from '../../../local/local-cloud.ts';

/** Runs commands with --json against a one-machine cloud, in this process. */
export function commandLineOf(cloud: LocalCloud) {
  const deployment = openDeployment(cloud.outputs, {
    endpoint: cloud.gatewayUrl,
    region: cloud.region,
    credentials: cloud.credentials,
  });
  const run = async (...words: readonly string[]) => {
    let out = '';
    let err = '';
    const code = await runCommandLine([...words, '--json'], {
      stdout: (text) => {
        out += text;
      },
      stderr: (text) => {
        err += text;
      },
      terminal: false,
      colour: false,
      environment: {},
      readFile: async () => '',
      writeFile: async () => {},
      readStdin: async () => '',
      ask: async () => '',
      pause: async () => true,
      examinedAccount: async () => {
        throw new Error('Nobody asks an account');
      },
      connect: async () => deployment,
    });
    return { code, out, err };
  };
  return {
    run,
    /** One that must succeed. */
    json: async <Result>(...words: readonly string[]): Promise<Result> => {
      const { code, out, err } = await run(...words);
      if (code !== 0) throw new Error(`Exit code ${code}: ${err}`);
      return JSON.parse(out);
    },
  };
}
