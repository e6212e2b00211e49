import { CloudError } from './cloud/cloud-error.ts';
import type { Cloud } from './cloud/start-cloud.ts';

/** The parts of a running local cloud that the demo uses, which an operator of a deployment also has. The demo's state is in `<dataDir>/demo`. */
export type DemoCloud = Pick<
  Cloud,
  'baseUrl' | 'apiUrl' | 'gatewayUrl' | 'region' | 'credentials' | 'outputs' | 'dataDir'
>;

/** Returns an output of the stack. @throws CloudError when the stack lacks it */
export function outputOf({ outputs }: DemoCloud, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new CloudError(`The stack has no output ${name}`);
  return value;
}
