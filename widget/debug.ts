import type { Refused } from './answers.ts';
import type { Settings } from './script-tag.ts';
import { textFile } from './texts.ts';

/**
 * Returns a function that logs one line per failed request, with advice for the page's developer by error code (texts/x-debug.json). It logs
 * nothing unless the tag has data-debug="true", so visitors do not load the advice. When a preflight is refused, the browser hides
 * the answer from the page. If the advice still loads, the Domain is wrong (the empty code); if not, the service is unreachable.
 */
export function debugLog({ debug, base }: Settings) {
  return async (what: string, status: number, { code, error }: Refused): Promise<void> => {
    if (!debug) return;
    const advice = await textFile(base, 'x-debug');
    const advised = advice ? (advice[code] ?? '') : 'No answer: check the network and connect-src.';
    console.warn(`[va-wave] ${what} failed: HTTP ${status} ${error}. ${advised}`);
  };
}
