import { CloudError } from './cloud/cloud-error.ts';
import type { Cloud } from './cloud/start-cloud.ts';
import type { ReceiverCertificates } from './receiver-certificates.ts';

/** The parts of a running local cloud that the demo uses, which an operator of a deployment also has. The demo's state is in `<dataDir>/demo`. */
export type DemoCloud = Pick<
  Cloud,
  'baseUrl' | 'apiUrl' | 'gatewayUrl' | 'region' | 'credentials' | 'outputs' | 'dataDir'
>;

/** local/demo/demo.ts exports it. */
export type StartDemo = (
  cloud: DemoCloud,
  options: {
    /** How many requests the receiver answers with 503 before it accepts one. 0 = none. */
    readonly fail: number;
    /** Of the demo's receiver; the cloud trusts their authority. */
    readonly certificates: ReceiverCertificates;
  },
) => Promise<RunningDemo>;

export type RunningDemo = {
  /** What a visitor may open, by name. Printed, and written to the ready file. */
  readonly urls: Readonly<Record<string, string>>;
  /** What to try next, one line each. */
  readonly tips: readonly string[];
  stop(): Promise<void>;
};

/** Returns an output of the stack. @throws CloudError when the stack lacks it */
export function outputOf({ outputs }: DemoCloud, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new CloudError(`The stack has no output ${name}`);
  return value;
}
