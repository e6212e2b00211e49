import { assembleService } from '../../../local/service-assembly.ts';
import { oncePerRun } from '../../harness/run-folder.ts';

/** Returns the folder of the cloud assembly with the local network rule. It is synthesized and bundled once for all suites of a run. */
export function serviceAssembly(): Promise<string> {
  return oncePerRun('assembly', (folder) => assembleService(folder));
}
