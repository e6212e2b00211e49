import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second, in which Linux counts processor time. */
const TICKS = 100;

/** Returns the ids of a process and of all its descendants. A thread may have started each of them. */
export function processTree(root: number): number[] {
  const children = unlessEnded(() => readdirSync(`/proc/${root}/task`), [])
    .flatMap((thread) => readProcFile(`/proc/${root}/task/${thread}/children`).split(' '))
    .filter((pid) => pid !== '');
  return [root, ...children.map(Number).flatMap(processTree)];
}

/** Returns the user and system processor time of these processes and their ended children, in milliseconds. */
export function cpuOf(pids: readonly number[]): number {
  const ticks = pids.flatMap((pid) => {
    // The name is in parentheses and may contain any characters.
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readProcFile(`/proc/${pid}/stat`)) ?? [];
    // utime, stime, cutime and cstime of proc(5), counted from the field after the name.
    return fields.split(' ').slice(11, 15).map(Number);
  });
  return (ticks.reduce((sum, count) => sum + count, 0) * 1000) / TICKS;
}

/** Returns the memory of these processes in megabytes. What these processes share counts once, and what they share with others in part. */
export function memoryOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(readProcFile(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}

const readProcFile = (file: string): string => unlessEnded(() => readFileSync(file, 'utf8'), '');

function unlessEnded<Value>(about: () => Value, valueIfEnded: Value): Value {
  try {
    return about();
  } catch {
    return valueIfEnded;
  }
}
