import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { AUDIT_VALUE_CHARACTERS } from '../../contract/limits.ts';
import { type AuditOperation, type AuditRecord, OPERATOR, type Organization } from '../../contract/organizations.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Author, Context, ManagementContext } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** Refuses a save, because somebody else saved after the caller read. `current` is the stored version when the caller named one. */
export class StaleVersion extends Refusal {
  readonly current: Assistant | Action | undefined;

  constructor(what: 'Action' | 'assistant', current?: Assistant | Action) {
    const next = current === undefined ? 'read it again' : `the current version is ${current.version}`;
    super('stale_version', { problem: `the ${what} was changed in the meantime; ${next}` });
    this.current = current;
  }
}

/**
 * Saves what the caller read in this version.
 * @param save gets the entity that was read
 * @throws StaleVersion with the current version when it is another one; also the errors of `read` and `save`
 */
export async function saveAt<Entity extends Assistant | Action, Result>(
  version: number,
  readCurrent: () => Promise<Entity>,
  save: (seen: Entity) => Promise<Result>,
): Promise<Result> {
  const stale = (current: Entity) => new StaleVersion('action_id' in current ? 'Action' : 'assistant', current);
  const currentEntity = await readCurrent();
  if (currentEntity.version !== version) throw stale(currentEntity);
  try {
    return await save(currentEntity);
  } catch (error) {
    if (!(error instanceof StaleVersion)) throw error;
    throw stale(await readCurrent());
  }
}

/** Returns the id of what a creation found to exist: what the author's idempotency key has created, otherwise its own write, which was repeated. */
export const existingId = async (newId: string, { store, author, now }: ManagementContext): Promise<string> =>
  (await store.createdBy(author, now())) ?? newId;

/** A change to the configuration. Without `previous` it is a creation, without `next` a deletion. */
export type Mutation =
  | { readonly entity: 'organization'; readonly previous: Organization; readonly next: Organization }
  | { readonly entity: 'assistant'; readonly previous?: Assistant; readonly next: Assistant }
  | { readonly entity: 'action'; readonly previous?: Action; readonly next: Action }
  | { readonly entity: 'action'; readonly previous: Action; readonly next?: undefined };

/** Fields that say nothing about the settings, and are not recorded. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'version', 'sealed_signing_secret']);

/** Fields that assistants and Actions copy from their organization, whose own audit record has them. */
const COPIES: ReadonlySet<string> = new Set(['suspended', 'daily_outbound_quota']);

/** Fields of which the audit trail says only that they changed. */
const WITHOUT_VALUES: ReadonlySet<string> = new Set(['server_secret', 'escalation_topics']);

/** Returns what the audit trail keeps of a value. The query and the fragment of a URL may have a secret. */
function auditValue(field: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : canonicalJson(value);
  return truncateCharacters(field === 'url' ? text.replace(/[?#].*$/s, '?…') : text, AUDIT_VALUE_CHARACTERS);
}

/** Returns the old and the new value of each field that is no secret. */
export function auditValues(fields: readonly string[], previous: object, next: object) {
  const [before, after] = [previous, next].map((values) => new Map<string, unknown>(Object.entries(values)));
  const shownFields = fields.filter((field) => !WITHOUT_VALUES.has(field));
  return shownFields.map((field) => ({
    field,
    before: auditValue(field, before?.get(field)),
    after: auditValue(field, after?.get(field)),
  }));
}

export type RecordContext = Context<'now'> & Pick<ManagementContext, 'author'>;

/** Returns the audit record of what somebody does that is no change of a version. */
export const auditRecordOf = (
  operation: AuditOperation,
  subject: Pick<AuditRecord, 'org_id' | 'entity_id'> & Partial<AuditRecord>,
  { author, now }: RecordContext,
): AuditRecord => ({
  ...{ at: now().toISOString(), by: recordedAuthor(author), operation, site_id: '', version: 1, fields: [] },
  ...subject,
});

/** Returns what an audit record says of an organization, an assistant or an Action. */
export function subjectOf(entity: Organization | Assistant | Action) {
  const site_id = 'site_id' in entity ? entity.site_id : '';
  const entity_id = 'action_id' in entity ? entity.action_id : site_id || entity.org_id;
  return { org_id: entity.org_id, site_id, entity_id, name: entity.name };
}

/** Returns what an audit record says of its author. @throws Error where AWS does not name the operator */
export const recordedAuthor = (author: Author): AuditRecord['by'] =>
  author.kind === 'operator'
    ? { ...OPERATOR, arn: author.arn }
    : { sub: author.membership.sub, email: author.membership.email };

/**
 * Returns the audit record of a change: author, operation, time, and of a change of settings their names and values.
 * @returns undefined when the operator changes nothing, or only copies a restriction, which happens to each assistant and Action. What an
 * admin saves is always recorded
 */
export function auditRecord(mutation: Mutation, author: Author, at: Date): AuditRecord | undefined {
  const { previous, next } = mutation;
  const entity = next ?? previous;
  const isDeletion = next === undefined || ('deleting' in next && next.deleting === true);
  const isRecorded = (field: string) =>
    !BOOKKEEPING.has(field) && !(mutation.entity !== 'organization' && COPIES.has(field));
  const fields = isDeletion ? [] : changedFields(previous ?? {}, next).filter(isRecorded);
  if (author.kind === 'operator' && !isDeletion && fields.length === 0) return undefined;
  const changes = previous && next && !isDeletion ? auditValues(fields, previous, next) : undefined;
  const version = 'version' in entity ? entity.version : 1;
  const subject = { ...subjectOf(entity), version, fields, changes };
  return auditRecordOf(operationOf(mutation, fields), subject, { author, now: () => at });
}

function operationOf(mutation: Mutation, fields: readonly string[]): AuditOperation {
  if (mutation.next === undefined) return 'delete_action';
  if (mutation.entity === 'organization') return 'update_organization';
  if (mutation.entity === 'assistant' && mutation.next.deleting === true) return 'delete_assistant';
  if (mutation.previous === undefined) return mutation.entity === 'assistant' ? 'create_assistant' : 'create_action';
  if (mutation.entity === 'action') return 'update_action';
  return fields.includes('server_secret') ? 'generate_server_secret' : 'update_assistant';
}

/** Returns the names of the fields whose values differ. The order of the members of a value does not count: the storage keeps none. */
export function changedFields(previous: object, next: object): string[] {
  const before = new Map<string, unknown>(Object.entries(previous));
  const after = new Map<string, unknown>(Object.entries(next));
  const written = (value: unknown) => (value === undefined ? '' : canonicalJson(value));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => written(before.get(name)) !== written(after.get(name)))
    .sort();
}
