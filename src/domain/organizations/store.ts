import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { Organization } from '../../contract/organizations.ts';
import type { Author } from './changes.ts';

/** A stored Action that cannot be read, because newer code wrote it or because its item is malformed. */
export type UnreadableAction = {
  readonly action_id: string;
  /** The Action's assistant; undefined when it cannot be read either. */
  readonly site_id: string | undefined;
  /** Error whose message names the table and the key, but no stored value. */
  readonly cause: Error;
};

/** The Actions of an organization. An unreadable Action does not affect the others; the caller decides how to handle it. */
export type ActionList = {
  readonly actions: readonly Action[];
  readonly unreadable: readonly UnreadableAction[];
};

/** Returns all Actions, for work that must not leave one out. @throws Error that names an Action that cannot be read */
export function requireAll({ actions, unreadable }: ActionList): readonly Action[] {
  const [first] = unreadable;
  if (first !== undefined) throw first.cause;
  return actions;
}

/**
 * The storage of organizations, assistants and Actions (adapters/dynamodb). Every read is strongly consistent. A change by an author is
 * recorded (changes.ts); the operator's are not.
 */
export type ConfigurationStore = {
  readonly createOrganization: (organization: Organization) => Promise<void>;
  /** Writes only the named fields, so that a concurrent change of another field is kept. */
  readonly changeOrganization: (orgId: string, change: Partial<Omit<Organization, 'org_id'>>) => Promise<void>;
  readonly findOrganization: (orgId: string) => Promise<Organization | undefined>;
  readonly listOrganizations: () => AsyncIterable<Organization>;

  /**
   * Creates an assistant when the organization has fewer than `limit`. Returns `exists` when there is one with this id, and
   * `organization_changed` when the organization was deleted or its restrictions differ from the assistant's.
   */
  readonly createAssistant: (
    assistant: Assistant,
    limit: number,
    author?: Author,
  ) => Promise<'created' | 'exists' | 'organization_changed' | 'too_many'>;
  /** Replaces `previous` by `next`. Returns false when `previous` is no longer the stored version. */
  readonly replaceAssistant: (previous: Assistant, next: Assistant, author?: Author) => Promise<boolean>;
  readonly findAssistant: (siteId: string) => Promise<Assistant | undefined>;
  readonly listAssistants: (orgId: string) => Promise<readonly Assistant[]>;
  /** Reads one page of an organization's assistants, by site id. @param after the `next` of the page before */
  readonly assistantsPage: (
    orgId: string,
    after: string | undefined,
  ) => Promise<{ readonly assistants: readonly Assistant[]; readonly next: string | undefined }>;

  /**
   * Creates an Action, unless there is one with this id. The same transaction counts the organization's Actions and compares the organization's restrictions with the
   * Action's. A slug is unique per assistant and trigger; an Event Action reserves none.
   */
  readonly createAction: (
    action: Action,
    author?: Author,
  ) => Promise<'created' | 'exists' | 'organization_changed' | 'too_many' | 'slug_taken'>;
  readonly replaceAction: (
    previous: Action,
    next: Action,
    author?: Author,
  ) => Promise<'replaced' | 'stale' | 'slug_taken'>;
  readonly deleteAction: (action: Action, author?: Author) => Promise<boolean>;
  readonly findAction: (orgId: string, actionId: string) => Promise<Action | undefined>;
  readonly findActionById: (actionId: string) => Promise<Action | undefined>;
  readonly listActions: (orgId: string) => Promise<ActionList>;
};
