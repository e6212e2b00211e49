import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../src/contract/actions.ts';
import type { Assistant } from '../../src/contract/assistants.ts';
import { ACTIONS_PER_ORGANIZATION, ASSISTANTS_PER_PAGE, AUDIT_PER_PAGE } from '../../src/contract/limits.ts';
import type { AuditRecord, Organization } from '../../src/contract/organizations.ts';
import { type AuditTrail, type Author, auditRecord, type Mutation } from '../../src/domain/organizations/changes.ts';
import type { ConfigurationStore, UnreadableAction } from '../../src/domain/organizations/store.ts';
import { restrictionsOf } from '../../src/domain/organizations/suspension-and-quota.ts';

/** An in-memory configuration store with the rules of the real one: versions, 50 Actions, unique slugs, and the audit trail. */
export class InMemoryConfigurationStore implements ConfigurationStore, AuditTrail {
  readonly organizations = new Map<string, Organization>();
  readonly assistants = new Map<string, Assistant>();
  readonly actions = new Map<string, Action>();
  readonly unreadable: UnreadableAction[] = [];
  readonly records: AuditRecord[] = [];

  readonly createOrganization = async (organization: Organization) => {
    this.organizations.set(organization.org_id, organization);
  };
  readonly changeOrganization = async (orgId: string, change: Partial<Organization>) => {
    const organization = this.organizations.get(orgId);
    if (organization === undefined) throw new Error(`There is no organization ${orgId}`);
    this.organizations.set(orgId, { ...organization, ...change });
  };
  readonly findOrganization = async (orgId: string) => this.organizations.get(orgId);
  readonly listOrganizations = async function* (this: InMemoryConfigurationStore) {
    yield* this.organizations.values();
  }.bind(this);

  readonly createAssistant = async (assistant: Assistant, limit: number, author?: Author) => {
    if (this.assistants.has(assistant.site_id)) return 'exists' as const;
    if (this.#hasOtherRestrictions(assistant)) return 'organization_changed' as const;
    // One turn of the event loop counts and creates, as one transaction does.
    if (this.#assistantsOf(assistant.org_id).length >= limit) return 'too_many' as const;
    this.#record({ entity: 'assistant', next: assistant }, author);
    this.assistants.set(assistant.site_id, assistant);
    return 'created' as const;
  };
  readonly replaceAssistant = async (previous: Assistant, next: Assistant, author?: Author) => {
    if (this.assistants.get(previous.site_id)?.version !== previous.version) return false;
    this.#record({ entity: 'assistant', previous, next }, author);
    this.assistants.set(next.site_id, next);
    return true;
  };
  readonly findAssistant = async (siteId: string) => this.assistants.get(siteId);
  readonly listAssistants = async (orgId: string) => this.#assistantsOf(orgId);

  readonly assistantsPage = async (orgId: string, after: string | undefined) => {
    const all = this.#assistantsOf(orgId);
    const rest = after === undefined ? all : all.slice(all.findIndex(({ site_id }) => site_id === after) + 1);
    const assistants = rest.slice(0, ASSISTANTS_PER_PAGE);
    return { assistants, next: rest.length > assistants.length ? assistants.at(-1)?.site_id : undefined };
  };

  readonly createAction = async (action: Action, author?: Author) => {
    if (this.actions.has(action.action_id)) return 'exists' as const;
    if (this.#hasOtherRestrictions(action)) return 'organization_changed' as const;
    if ((await this.listActions(action.org_id)).actions.length >= ACTIONS_PER_ORGANIZATION) return 'too_many' as const;
    if (this.#slugTaken(action)) return 'slug_taken' as const;
    this.#record({ entity: 'action', next: action }, author);
    this.actions.set(action.action_id, action);
    return 'created' as const;
  };
  readonly replaceAction = async (previous: Action, next: Action, author?: Author) => {
    if (this.actions.get(previous.action_id)?.version !== previous.version) return 'stale' as const;
    if (this.#slugTaken(next)) return 'slug_taken' as const;
    this.#record({ entity: 'action', previous, next }, author);
    this.actions.set(next.action_id, next);
    return 'replaced' as const;
  };
  readonly deleteAction = async (action: Action, author?: Author) => {
    if (this.actions.get(action.action_id)?.version !== action.version) return false;
    this.#record({ entity: 'action', previous: action }, author);
    return this.actions.delete(action.action_id);
  };
  readonly findAction = async (orgId: string, actionId: string) => {
    const action = this.actions.get(actionId);
    return action?.org_id === orgId ? action : undefined;
  };
  readonly findActionById = async (actionId: string) => this.actions.get(actionId);
  readonly listActions = async (orgId: string) => ({
    actions: [...this.actions.values()].filter((action) => action.org_id === orgId),
    unreadable: this.unreadable,
  });

  readonly auditPage: AuditTrail['auditPage'] = async (orgId, after = '0') => {
    const records = this.records.filter((record) => record.org_id === orgId).toReversed();
    const end = Number(after) + AUDIT_PER_PAGE;
    return { records: records.slice(Number(after), end), next: end < records.length ? String(end) : undefined };
  };

  #record(mutation: Mutation, author: Author | undefined): void {
    if (author !== undefined) this.records.push(auditRecord(mutation, author));
  }

  #assistantsOf(orgId: string): readonly Assistant[] {
    return [...this.assistants.values()].filter((assistant) => assistant.org_id === orgId);
  }

  #hasOtherRestrictions(part: Action | Assistant): boolean {
    const organization = this.organizations.get(part.org_id);
    return organization === undefined || !isDeepStrictEqual(restrictionsOf(organization), restrictionsOf(part));
  }

  #slugTaken(action: Action): boolean {
    return (
      action.trigger !== 'Event' &&
      [...this.actions.values()].some(
        (other) =>
          other.action_id !== action.action_id &&
          other.site_id === action.site_id &&
          other.trigger === action.trigger &&
          other.slug === action.slug,
      )
    );
  }
}
