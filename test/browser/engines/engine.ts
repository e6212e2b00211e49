import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Missing } from '../../harness/programs.ts';

/** A browser under test. Its input is that of a person: keys and the mouse. */
export type Engine = {
  readonly open: (url: string) => Promise<unknown>;
  readonly reload: () => Promise<unknown>;
  /** Evaluates an expression in the page, without waiting for promises. */
  readonly run: (expression: string) => Promise<unknown>;
  readonly click: (x: number, y: number) => Promise<unknown>;
  readonly type: (text: string) => Promise<unknown>;
  readonly press: (key: Key, shift?: boolean) => Promise<unknown>;
  readonly wheel: (x: number, y: number, by: number) => Promise<unknown>;
  readonly resize: (width: number, height: number) => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
};

export type Key = 'Tab' | 'Enter' | 'Escape';

/** An engine as a machine may have it. */
export type Installed = {
  readonly name: string;
  readonly missing: Missing;
  readonly start: () => Promise<Engine>;
};

/** Returns the path of a program of the machine. */
export function programPath(...names: readonly (string | undefined)[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names
    .flatMap((name = '/') => (name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name))))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
