import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { AuditOperation, AuditRecord, Membership } from '../../contract/members.ts';

/** A change to the configuration. Without `previous` it is a creation, without `next` a deletion. */
export type Mutation =
  | { readonly entity: 'assistant'; readonly previous?: Assistant; readonly next: Assistant }
  | { readonly entity: 'action'; readonly previous?: Action; readonly next: Action }
  | { readonly entity: 'action'; readonly previous: Action; readonly next?: undefined };

/** Fields that change with every save and are not recorded. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'version', 'sealed_signing_secret']);

/** Returns the audit record of a change: author, operation, time and names of the changed fields, never their values. */
export function auditRecord(mutation: Mutation, by: Membership, at: Date): AuditRecord {
  const entity = mutation.next ?? mutation.previous;
  const fields = changedFields(mutation.previous ?? {}, mutation.next ?? {});
  return {
    org_id: by.org_id,
    at: at.toISOString(),
    by: { sub: by.sub, email: by.email },
    operation: operationOf(mutation, fields),
    site_id: entity.site_id,
    entity_id: 'action_id' in entity ? entity.action_id : entity.site_id,
    version: entity.version,
    fields: mutation.next === undefined ? [] : fields,
  };
}

function operationOf(mutation: Mutation, fields: readonly string[]): AuditOperation {
  if (mutation.next === undefined) return 'delete_action';
  if (mutation.previous === undefined) return mutation.entity === 'assistant' ? 'create_assistant' : 'create_action';
  if (mutation.entity === 'action') return 'update_action';
  return fields.includes('server_secret') ? 'generate_server_secret' : 'update_assistant';
}

function changedFields(previous: object, next: object): string[] {
  const before = new Map<string, unknown>(Object.entries(previous));
  const after = new Map<string, unknown>(Object.entries(next));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => !BOOKKEEPING.has(name) && JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)))
    .sort();
}
