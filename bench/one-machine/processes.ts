import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second, in which Linux counts processor time. */
const TICKS = 100;

type Stat = { readonly pid: number; readonly parent: number; readonly cpuMs: number };

/** Returns the ids of a process and of all its descendants. */
export function processTree(root: number): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** Returns the user and system processor time of these processes and their ended children, in milliseconds. */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (statOf(pid)?.cpuMs ?? 0), 0);
}

/** Returns the memory of these processes in megabytes. Shared memory counts once. */
export function memoryOf(pids: readonly number[]): number {
  const kilobytes = pids.reduce((sum, pid) => {
    const text = readText(`/proc/${pid}/smaps_rollup`) ?? '';
    return sum + Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  }, 0);
  return kilobytes / 1024;
}

function statOf(pid: number): Stat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name is in parentheses and may contain any characters.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
  return { pid, parent: Number(fields[1]), cpuMs: (ticks * 1000) / TICKS };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended.
    return undefined;
  }
}
