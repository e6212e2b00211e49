import { existsSync, readFileSync } from 'node:fs';

const STATISTICS = '/proc/self/stat';
/** What Linux counts the times of a process in, whatever the processor. */
const TICKS_PER_SECOND = 100;

/**
 * A reporter of jest: at the end of a run it says how many seconds of CPU time the run has used, with its workers and with every service
 * and browser that they started and that has ended. Where there is no /proc, it says nothing.
 */
export default class CpuTimeReporter {
  onRunComplete(): void {
    if (!existsSync(STATISTICS)) return;
    // The name of the program, in parentheses, may hold spaces.
    const [, fields = ''] = readFileSync(STATISTICS, 'utf8').split(/\) (?!.*\) )/s);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.split(' ').slice(11, 15).map(Number);
    const seconds = (ticks: number) => (ticks / TICKS_PER_SECOND).toFixed(0);
    const [inUser, inSystem] = [user + childrenUser, system + childrenSystem];
    process.stderr.write(
      `CPU time:    ${seconds(inUser + inSystem)} s (user ${seconds(inUser)} s, system ${seconds(inSystem)} s)\n`,
    );
  }
}
