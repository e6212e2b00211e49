import type { Settings } from './script-tag.ts';
import { textFile } from './texts.ts';

/**
 * Logs one line per failed request, with what the page's developer can do (texts/x-debug.json). Silent unless the tag says
 * data-debug="true": visitors load no advice. A refused preflight hides the answer from the page; whether the advice itself comes
 * then tells a wrong Domain (the empty message) from a service that cannot be reached.
 */
export function debugLog({ debug, base }: Settings) {
  return async (what: string, status: number, message: string): Promise<void> => {
    if (!debug) return;
    const advice = await textFile(base, 'x-debug');
    const advised = advice ? (advice[message] ?? '') : 'No answer at all: check the network and connect-src.';
    console.warn(`[va-wave] ${what} failed: HTTP ${status} ${message}. ${advised}`);
  };
}
