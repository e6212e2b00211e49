import { randomUUID } from 'node:crypto';
import { ACCOUNT, REGION } from '../account.ts';
import { ServiceError } from '../gateway/aws-request.ts';
import { isList, type JsonObject, parseObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';
import type { EventTargets, Rule } from './event-targets.ts';

/** Bytes of all entries of a call together. */
const MAX_ENTRIES_BYTES = 1024 * 1024;

type Bus = Resource<'AWS::Events::EventBus'>;

/** Returns why an event is refused. @param event without its id */
export type EventCheck = (event: {
  readonly name: string;
  readonly source: string;
  readonly detail: JsonObject;
}) => Promise<{ readonly code: string; readonly message: string } | undefined>;

/** Accepts events, and delivers each to the targets of the rules whose pattern matches before it answers. */
export class EventBridge {
  readonly #buses: readonly Bus[];
  readonly #rules: readonly Rule[];
  readonly #targets: EventTargets;
  readonly #check: EventCheck | undefined;

  constructor(buses: readonly Bus[], rules: readonly Rule[], targets: EventTargets, check?: EventCheck) {
    this.#buses = buses;
    this.#rules = rules;
    this.#targets = targets;
    this.#check = check;
  }

  /** The ARN of a bus by its name or ARN; without either, of the account's default bus. */
  busArn(nameOrArn: string | undefined): string {
    const name = nameOrArn ?? 'default';
    return name.startsWith('arn:') ? name : `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${name}`;
  }

  /** The answer of PutEvents. An entry that is refused has an error code in its place; the others are delivered. */
  async putEvents(entries: readonly JsonObject[]): Promise<JsonObject> {
    if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > MAX_ENTRIES_BYTES) {
      throw new ServiceError('ValidationException', 'Total size of the entries in the request is over the limit.');
    }
    const results: JsonObject[] = [];
    for (const entry of entries) results.push(await this.#put(entry));
    return { Entries: results, FailedEntryCount: results.filter(({ ErrorCode }) => ErrorCode !== undefined).length };
  }

  async #put(entry: JsonObject): Promise<JsonObject> {
    const refused = problemOf(entry);
    if (refused !== undefined) return { ErrorCode: refused[0], ErrorMessage: refused[1] };
    const busArn = this.busArn(typeof entry.EventBusName === 'string' ? entry.EventBusName : undefined);
    const bus = this.#buses.find(({ arn }) => arn === busArn);
    if (bus === undefined) {
      return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `Event bus ${busArn} does not exist.` };
    }
    const detail = parseObject(String(entry.Detail)) ?? {};
    const name = String(entry.DetailType);
    const wrong = await this.#check?.({ name, source: String(entry.Source), detail });
    if (wrong !== undefined) return { ErrorCode: wrong.code, ErrorMessage: wrong.message };
    const time = typeof entry.Time === 'number' ? new Date(entry.Time * 1000) : new Date();
    const event: JsonObject = {
      version: '0',
      id: randomUUID(),
      'detail-type': name,
      source: entry.Source ?? '',
      account: ACCOUNT,
      time: `${time.toISOString().slice(0, 19)}Z`,
      region: REGION,
      resources: entry.Resources ?? [],
      detail,
    };
    const { detail: _, ...head } = event;
    // As text, so that a number in it stays as it was written.
    const text = `${JSON.stringify(head).slice(0, -1)},"detail":${entry.Detail}}`;
    for (const rule of this.#rules) {
      const { EventBusName, EventPattern } = rule.properties;
      if (EventBusName === bus.ref && matches(EventPattern, name)) await this.#targets.deliver(rule, event, text);
    }
    return { EventId: event.id ?? '' };
  }
}

/** A rule without a pattern has a schedule. */
const matches = (pattern: Rule['properties']['EventPattern'], name: string): boolean =>
  pattern?.['detail-type'].some((one) =>
    typeof one === 'string' ? one === name : !one['anything-but'].includes(name),
  ) === true;

function problemOf(entry: JsonObject): readonly [code: string, message: string] | undefined {
  const missing = ['Source', 'DetailType', 'Detail'].find(
    (name) => typeof entry[name] !== 'string' || entry[name] === '',
  );
  if (missing !== undefined)
    return ['InvalidArgument', `Parameter ${missing} is not valid. Reason: ${missing} is a required argument.`];
  if (String(entry.Source).startsWith('aws.')) {
    return ['NotAuthorizedForSourceException', 'Not authorized for the source.'];
  }
  return parseObject(String(entry.Detail)) === undefined ? ['MalformedDetail', 'Detail is malformed.'] : undefined;
}

/** As AWS counts an entry: its texts in UTF-8, and 14 bytes for a time. */
function sizeOf(entry: JsonObject): number {
  const resources = isList(entry.Resources) ? entry.Resources : [];
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...resources];
  const bytes = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
  return bytes + (entry.Time === undefined ? 0 : 14);
}
