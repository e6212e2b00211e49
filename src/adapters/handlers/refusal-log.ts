import type { Logger } from '@aws-lambda-powertools/logger';
import type { Refusal } from '../../domain/refusal.ts';
import type { Clock } from '../../domain/sources.ts';

const PERIOD_MS = 60_000;
/** Lines of a container in a minute: whoever is refused often must not fill the log. */
const LINES_MAX = 60;
/** Of what a caller claims, only for telling refusals apart; never logged. */
const CLAIM_MAX = 64;

/**
 * Writes why requests are refused: code, status and route, and the site where it is known (the logger names it), never anything of the
 * visitor or of what was sent. Sampled: one line a minute for the same code, route and claimed site.
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
