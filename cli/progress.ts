import type { Write } from './output.ts';

/** Nothing is said of what is over before that. */
const QUIET_MS = 1000;
const REPEAT_MS = 500;

export type Progress = {
  /** What is being done now. */
  readonly doing: (text: string) => void;
  readonly end: () => void;
};

/** Tells on stderr what takes longer than a second: one line that renews itself on a terminal, else one line per step. */
export function startProgress(
  write: Write,
  options: { readonly terminal: boolean; readonly silent: boolean },
): Progress {
  let current = '';
  let shown = '';
  let timer: NodeJS.Timeout | undefined;

  const show = () => {
    if (current !== shown) write(options.terminal ? `\r${current} …\u001b[K` : `${current} …\n`);
    shown = current;
    // Without a terminal a growing count would be one line each time.
    timer = options.terminal ? setTimeout(show, REPEAT_MS).unref() : undefined;
  };

  return {
    doing: (text) => {
      current = text;
      if (!options.silent && timer === undefined && shown === '') timer = setTimeout(show, QUIET_MS).unref();
    },
    end: () => {
      clearTimeout(timer);
      if (options.terminal && shown !== '') write('\r\u001b[K');
      current = '';
      shown = '';
      timer = undefined;
    },
  };
}
