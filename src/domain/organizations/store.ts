import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { Organization } from '../../contract/organizations.ts';

/** An Action that is stored and cannot be read: newer code wrote it, or it has not the shape that it should have. */
export type UnreadableAction = {
  readonly action_id: string;
  /** What decides who gets an event, if at least that can be read. */
  readonly subscription: Subscription | undefined;
  /** Names the table and the key, and nothing that is stored. */
  readonly cause: Error;
};
export type Subscription = {
  readonly trigger: string;
  readonly site_id: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
};

/** The Actions of an organization. One that cannot be read leaves the others as they are; who lists them decides what it means. */
export type ActionList = {
  readonly actions: readonly Action[];
  readonly unreadable: readonly UnreadableAction[];
};

/** All of them, for work that must miss none. @throws Error that names one that cannot be read */
export function requireAll({ actions, unreadable }: ActionList): readonly Action[] {
  const [first] = unreadable;
  if (first !== undefined) throw first.cause;
  return actions;
}

/** Where organizations, assistants and Actions are kept (adapters/dynamodb). Every read is strongly consistent. */
export type ConfigurationStore = {
  readonly createOrganization: (organization: Organization) => Promise<void>;
  /** Writes what is named, and leaves what others change meanwhile. */
  readonly changeOrganization: (orgId: string, change: Partial<Omit<Organization, 'org_id'>>) => Promise<void>;
  readonly findOrganization: (orgId: string) => Promise<Organization | undefined>;
  readonly listOrganizations: () => AsyncIterable<Organization>;

  /** Returns `organization_changed` when the organization was deleted or its restrictions differ from the assistant's. */
  readonly createAssistant: (assistant: Assistant) => Promise<'created' | 'organization_changed'>;
  /** Replaces `previous`; answers false when somebody else saved in between. */
  readonly replaceAssistant: (previous: Assistant, next: Assistant) => Promise<boolean>;
  readonly findAssistant: (siteId: string) => Promise<Assistant | undefined>;
  readonly listAssistants: (orgId: string) => Promise<readonly Assistant[]>;

  /**
   * Creates an Action. The same transaction counts the organization's Actions and compares the organization's restrictions with the
   * Action's. A slug is unique per assistant and trigger; an Event Action reserves none.
   */
  readonly createAction: (action: Action) => Promise<'created' | 'organization_changed' | 'too_many' | 'slug_taken'>;
  readonly replaceAction: (previous: Action, next: Action) => Promise<'replaced' | 'stale' | 'slug_taken'>;
  readonly deleteAction: (action: Action) => Promise<boolean>;
  readonly findActionById: (actionId: string) => Promise<Action | undefined>;
  readonly listActions: (orgId: string) => Promise<ActionList>;
};
