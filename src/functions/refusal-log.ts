import type { Logger } from '@aws-lambda-powertools/logger';
import type { Refusal } from '../domain/refusal.ts';
import type { Clock } from '../domain/sources.ts';

const PERIOD_MS = 60_000;
/** Lines per container and minute, so that a caller who is refused often cannot fill the log. */
const LINES_MAX = 60;
/** Characters of the claimed site that are compared. The claim itself is never logged. */
const CLAIM_MAX = 64;

/**
 * Creates a function that logs refusals with code, status and route; the logger adds the site when it is known. It logs nothing about the
 * visitor or the request. It writes at most one line per minute for the same code, route and claimed site.
 */
export function refusalLog(logger: Logger, now: Clock) {
  let from = Number.NEGATIVE_INFINITY;
  let logged = new Set<string>();
  return ({ code, status }: Refusal, route: string, claimedSite: string | undefined): void => {
    const at = now().getTime();
    if (at - from >= PERIOD_MS) {
      from = at;
      logged = new Set();
    }
    const key = [code, route, claimedSite?.slice(0, CLAIM_MAX)].join(' ');
    if (logged.has(key) || logged.size >= LINES_MAX) return;
    logged.add(key);
    logger.info('Refused', { code, status, route });
  };
}
