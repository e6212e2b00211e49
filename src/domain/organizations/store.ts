import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { Organization } from '../../contract/organizations.ts';

/** Where organizations, assistants and Actions are kept (adapters/dynamodb). Every read is strongly consistent. */
export type ConfigurationStore = {
  readonly saveOrganization: (organization: Organization) => Promise<void>;
  readonly findOrganization: (orgId: string) => Promise<Organization | undefined>;
  readonly listOrganizations: () => AsyncIterable<Organization>;

  readonly createAssistant: (assistant: Assistant) => Promise<void>;
  /** Replaces `previous`; answers false when somebody else saved in between. */
  readonly replaceAssistant: (previous: Assistant, next: Assistant) => Promise<boolean>;
  readonly findAssistant: (siteId: string) => Promise<Assistant | undefined>;
  readonly listAssistants: (orgId: string) => Promise<readonly Assistant[]>;

  /** Counts the organization's Actions in the same transaction. A slug is taken per assistant and trigger, except by Event Actions. */
  readonly createAction: (action: Action) => Promise<'created' | 'too_many' | 'slug_taken'>;
  readonly replaceAction: (previous: Action, next: Action) => Promise<'replaced' | 'stale' | 'slug_taken'>;
  readonly deleteAction: (action: Action) => Promise<boolean>;
  readonly findActionById: (actionId: string) => Promise<Action | undefined>;
  readonly listActions: (orgId: string) => Promise<readonly Action[]>;
};
