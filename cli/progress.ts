import { plainText } from './plain-text.ts';
import type { Write } from './process.ts';

/** Shorter work is not reported. */
const QUIET_MS = 1000;
const RENEW_MS = 500;

export type Progress = {
  /** Sets the description of the current work. */
  readonly doing: (text: string) => void;
  readonly end: () => void;
};

/**
 * Reports on stderr work that takes longer than a second. On a terminal it updates one line. Elsewhere it writes one line once, because
 * many lines would fill the log of a script.
 */
export function startProgress(
  write: Write,
  options: { readonly terminal: boolean; readonly silent: boolean },
): Progress {
  let current = '';
  let shown = false;
  let timer: NodeJS.Timeout | undefined;

  const show = () => {
    write(options.terminal ? `\r${plainText(current)} …\u001b[K` : `${plainText(current)} …\n`);
    shown = true;
    if (options.terminal) timer = setTimeout(show, RENEW_MS).unref();
  };

  return {
    doing: (text) => {
      current = text;
      if (!options.silent) timer ??= setTimeout(show, QUIET_MS).unref();
    },
    end: () => {
      clearTimeout(timer);
      if (options.terminal && shown) write('\r\u001b[K');
      shown = false;
      timer = undefined;
    },
  };
}
