import { assembleService } from '../../../local/service-assembly.ts';
import { oncePerRun } from '../../harness/run-folder.ts';

/** The cloud assembly of the service with the network rule of this machine: synthesized and bundled once for a run, for all suites. */
export function serviceAssembly(): Promise<string> {
  return oncePerRun('assembly', (folder) => assembleService(folder));
}
