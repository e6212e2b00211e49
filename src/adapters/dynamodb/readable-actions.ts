import type { Action, AiAction, FormAction } from '../../contract/actions.ts';
import type { ActionList, UnreadableAction } from '../../domain/organizations/store.ts';

/**
 * Creates reads of an assistant's enabled Actions. Leaves out Actions that cannot be read.
 * @param report is called for each Action of the assistant that was left out
 */
export function readableActions(
  reads: {
    readonly findOffered: (siteId: string, trigger: 'Form' | 'AI-decided') => Promise<() => Promise<ActionList>>;
  },
  report: (action: UnreadableAction) => void,
) {
  // The items of the slugs only find the Actions. The Action itself decides.
  const isOffered = (action: Action, siteId: string) => action.enabled && action.site_id === siteId;
  return {
    findForms: async (siteId: string): Promise<() => Promise<readonly FormAction[]>> => {
      const read = await reads.findOffered(siteId, 'Form');
      return async () => {
        const { actions, unreadable } = await read();
        unreadable.forEach(report);
        return actions.filter((action) => action.trigger === 'Form').filter((action) => isOffered(action, siteId));
      };
    },

    /** Returns an empty list for a site that does not exist. */
    toolsOf: async (siteId: string): Promise<readonly AiAction[]> => {
      const { actions, unreadable } = await (await reads.findOffered(siteId, 'AI-decided'))();
      unreadable.forEach(report);
      return actions.filter((action) => action.trigger === 'AI-decided').filter((action) => isOffered(action, siteId));
    },
  };
}
