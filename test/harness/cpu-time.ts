import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The unit in which Linux counts a process's CPU time, on every processor. */
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 1000;
/** A test that takes longer on a quiet machine is to be split: nobody waits for it between two edits. */
const TEST_MAX_MS = 20_000;

type Process = {
  readonly key: string;
  readonly parent: string | undefined;
  readonly session: number;
  /** Ticks of the process itself, and of its children that have ended and that it waited for. */
  readonly own: number;
  readonly ofChildren: number;
};

/** Returns the processes of this machine that are now there, by their pids. Keys are never given twice, unlike pids. */
function processesNow(): ReadonlyMap<number, Process> {
  const rows = readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return [];
      // The program's name, in parentheses, may contain spaces.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number);
      return [{ pid: Number(pid), fields }];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
  const keys = new Map(rows.map(({ pid, fields }) => [pid, `${pid} ${fields[19]}`]));
  return new Map(
    rows.map(({ pid, fields }) => {
      const [, parent = 0, , session = 0] = fields;
      const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
      const key = keys.get(pid) ?? '';
      return [
        pid,
        { key, parent: keys.get(parent), session, own: user + system, ofChildren: childrenUser + childrenSystem },
      ];
    }),
  );
}

type TestResult = {
  readonly testFilePath: string;
  readonly testResults: readonly { readonly fullName: string; readonly duration?: number | null }[];
};

/**
 * A jest reporter that prints how many seconds of CPU time a run has used, with every process that it started. A process adds its time to
 * that of its parent when it ends, but not when the parent has gone before, as those of a browser. So the reporter looks every second, and
 * counts each process that it sees, and what ended unseen below one of them. Without /proc, it prints nothing of this. It names each test
 * that takes too long.
 */
export default class CpuTimeReporter {
  readonly #seen = new Map<string, Process>();
  /** Time that a process has waited for and that is counted already, because the child was seen. */
  readonly #countedBelow = new Map<string, number>();
  readonly #alive = new Set<string>();
  readonly #slow: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  onRunStart(): void {
    if (existsSync('/proc/self/stat')) this.#timer = setInterval(() => this.#look(), SAMPLE_MS).unref();
  }

  onTestResult(_test: unknown, { testFilePath, testResults }: TestResult): void {
    for (const { fullName, duration } of testResults) {
      if ((duration ?? 0) > TEST_MAX_MS) this.#slow.push(`${testFilePath}: ${fullName}: ${duration} ms`);
    }
  }

  #look(): void {
    const now = processesNow();
    const self = now.get(process.pid);
    const sessions = new Set([...this.#seen.values()].map(({ session }) => session));
    if (self !== undefined) sessions.delete(self.session);
    // A pass for each generation: a child may have a smaller pid than its parent.
    for (let size = -1; size !== this.#seen.size; ) {
      size = this.#seen.size;
      for (const one of now.values()) {
        const isOurs =
          one === self || this.#seen.has(one.key) || this.#seen.has(one.parent ?? '') || sessions.has(one.session);
        // The first parent counts: the one of an orphan did not start it.
        if (isOurs) this.#seen.set(one.key, { ...one, parent: this.#seen.get(one.key)?.parent ?? one.parent });
      }
    }
    const alive = new Set([...now.values()].map(({ key }) => key));
    for (const key of this.#alive) {
      const ended = this.#seen.get(key);
      if (alive.has(key) || ended?.parent === undefined || !alive.has(ended.parent)) continue;
      this.#countedBelow.set(ended.parent, (this.#countedBelow.get(ended.parent) ?? 0) + ended.own + ended.ofChildren);
    }
    this.#alive.clear();
    for (const key of this.#seen.keys()) if (alive.has(key)) this.#alive.add(key);
  }

  onRunComplete(): void {
    for (const line of this.#slow) process.stderr.write(`Too long:    ${line}\n`);
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#look();
    const unseen = ({ key, ofChildren }: Process) => Math.max(0, ofChildren - (this.#countedBelow.get(key) ?? 0));
    const ticks = [...this.#seen.values()].reduce((sum, one) => sum + one.own + unseen(one), 0);
    process.stderr.write(
      `CPU time:    ${(ticks / TICKS_PER_SECOND).toFixed(0)} s, of ${this.#seen.size} processes and more\n`,
    );
  }
}
