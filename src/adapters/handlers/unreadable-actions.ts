import type { Logger } from '@aws-lambda-powertools/logger';
import type { UnreadableAction } from '../../domain/organizations/store.ts';

/** Tells the operator of an Action that was left out of an answer, because it cannot be read. */
export function reportUnreadable(logger: Logger): (action: UnreadableAction) => void {
  return ({ action_id, cause }) => logger.error('An Action cannot be read', { action_id, error: cause });
}
