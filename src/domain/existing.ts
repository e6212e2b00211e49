import type { Action } from '../contract/actions.ts';
import type { Assistant } from '../contract/assistants.ts';
import { Refusal } from './refusal.ts';

/** Returns an Action that was read. @throws Refusal 404 when there is none */
export function existingAction(action: Action | undefined, actionId: string): Action {
  if (action === undefined) throw new Refusal('action_not_found', { problem: `no Action ${actionId}` });
  return action;
}

/** Returns an assistant that was read. @throws Refusal 404 when there is none, or when it is being deleted */
export function existingAssistant(assistant: Assistant | undefined, siteId: string): Assistant {
  if (assistant === undefined || assistant.deleting) throw noAssistant(siteId);
  return assistant;
}

/** The refusal, 404, for an assistant that does not exist or is being deleted. */
export const noAssistant = (siteId: string): Refusal =>
  new Refusal('assistant_not_found', { problem: `no assistant ${siteId}` });
