import type { AiAction, FormAction, Trigger } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { ActionList, UnreadableAction } from '../../domain/organizations/store.ts';

/**
 * Creates reads of an assistant's enabled Actions. Leaves out Actions that cannot be read.
 * @param report is called for each Action of the organization that was left out
 */
export function readableActions(
  reads: {
    readonly actionsOf: (orgId: string, trigger: Trigger) => Promise<ActionList>;
    readonly findAssistant: (siteId: string) => Promise<Assistant | undefined>;
  },
  report: (action: UnreadableAction) => void,
) {
  const enabledOf = async ({ org_id, site_id }: Assistant, trigger: Trigger) => {
    const { actions, unreadable } = await reads.actionsOf(org_id, trigger);
    unreadable.forEach(report);
    return actions.filter((action) => action.enabled && action.site_id === site_id);
  };
  return {
    formsOf: async (assistant: Assistant): Promise<readonly FormAction[]> =>
      (await enabledOf(assistant, 'Form')).filter((action) => action.trigger === 'Form'),

    /** Returns an empty list for a site that does not exist. */
    toolsOf: async (siteId: string): Promise<readonly AiAction[]> => {
      const assistant = await reads.findAssistant(siteId);
      if (assistant === undefined) return [];
      return (await enabledOf(assistant, 'AI-decided')).filter((action) => action.trigger === 'AI-decided');
    },
  };
}
