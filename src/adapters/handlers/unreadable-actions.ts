import type { Logger } from '@aws-lambda-powertools/logger';
import type { UnreadableAction } from '../../domain/organizations/store.ts';

/** Reports an Action that was left out of a response, because it cannot be read, to the operator. */
export function reportUnreadable(logger: Logger): (action: UnreadableAction) => void {
  return ({ action_id, cause }) => logger.error('An Action cannot be read', { action_id, error: cause });
}
