import { existsSync, readFileSync } from 'node:fs';

const STATISTICS = '/proc/self/stat';
/** The unit in which Linux counts a process's CPU time, on every processor. */
const TICKS_PER_SECOND = 100;

/**
 * A jest reporter that prints how many seconds of CPU time a run has used, with its workers and with every service and browser that
 * they started and that has ended. Without /proc, it prints nothing.
 */
export default class CpuTimeReporter {
  onRunComplete(): void {
    if (!existsSync(STATISTICS)) return;
    // The program's name, in parentheses, may contain spaces.
    const [, fields = ''] = readFileSync(STATISTICS, 'utf8').split(/\) (?!.*\) )/s);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.split(' ').slice(11, 15).map(Number);
    const seconds = (ticks: number) => (ticks / TICKS_PER_SECOND).toFixed(0);
    const [inUser, inSystem] = [user + childrenUser, system + childrenSystem];
    process.stderr.write(
      `CPU time:    ${seconds(inUser + inSystem)} s (user ${seconds(inUser)} s, system ${seconds(inSystem)} s)\n`,
    );
  }
}
