import { randomUUID } from 'node:crypto';
import { ACCOUNT, REGION } from '../account.ts';
import { type AwsService, jsonResponse, jsonService, objectsOf, optionalText, ServiceError } from '../gateway.ts';
import { isList, type Json, type JsonObject, parseObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';
import type { EventTargets, Rule } from './event-targets.ts';

/** Bytes of all entries of a call together. */
const MAX_ENTRIES_BYTES = 1024 * 1024;

/** Returns why an event is refused. @param event without its id */
export type EventCheck = (event: {
  readonly name: string;
  readonly source: string;
  readonly detail: JsonObject;
}) => Promise<{ readonly code: string; readonly message: string } | undefined>;

type EventBridgeOptions = {
  readonly buses: readonly Resource<'AWS::Events::EventBus'>[];
  readonly rules: readonly Rule[];
  readonly targets: EventTargets;
  readonly check: EventCheck | undefined;
};

/**
 * EventBridge: PutEvents with up to ten entries, each of which is accepted or refused separately. An event is delivered to the targets of
 * the rules whose pattern matches before the call is answered.
 */
export const eventBridge = (options: EventBridgeOptions): AwsService =>
  jsonService('events', {
    PutEvents: {
      checks: (parameters) =>
        objectsOf(parameters, 'Entries').map((entry) => ({
          action: 'events:PutEvents',
          resource: busArn(optionalText(entry, 'EventBusName')),
        })),
      answer: async (parameters) => {
        const entries = objectsOf(parameters, 'Entries');
        if (entries.length < 1 || entries.length > 10) {
          throw new ServiceError('ValidationException', 'Entries must hold one to ten events');
        }
        if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > MAX_ENTRIES_BYTES) {
          throw new ServiceError('ValidationException', 'Total size of the entries in the request is over the limit.');
        }
        const Entries: JsonObject[] = [];
        for (const entry of entries) Entries.push(await put(entry, options));
        const FailedEntryCount = Entries.filter(({ ErrorCode }) => ErrorCode !== undefined).length;
        return jsonResponse({ Entries, FailedEntryCount });
      },
    },
  });

/** The event of an entry, or of a rule with a schedule. */
export const eventOf = (name: string, source: string, time: Date, resources: Json, detail: JsonObject) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': name,
  source,
  account: ACCOUNT,
  time: `${time.toISOString().slice(0, 19)}Z`,
  region: REGION,
  resources,
  detail,
});

async function put(entry: JsonObject, { buses, rules, targets, check }: EventBridgeOptions): Promise<JsonObject> {
  const refuse = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });
  const [source = '', name = '', text = ''] = [entry.Source, entry.DetailType, entry.Detail].map((value) =>
    typeof value === 'string' ? value : '',
  );
  for (const [parameter, value] of Object.entries({ Source: source, DetailType: name, Detail: text })) {
    const reason = `Parameter ${parameter} is not valid. Reason: ${parameter} is a required argument.`;
    if (value === '') return refuse('InvalidArgument', reason);
  }
  if (source.startsWith('aws.')) return refuse('NotAuthorizedForSourceException', 'Not authorized for the source.');
  const detail = parseObject(text);
  if (detail === undefined) return refuse('MalformedDetail', 'Detail is malformed.');
  const arn = busArn(optionalText(entry, 'EventBusName'));
  const bus = buses.find((known) => known.arn === arn);
  if (bus === undefined) return refuse('ResourceNotFoundException', `Event bus ${arn} does not exist.`);
  const wrong = await check?.({ name, source, detail });
  if (wrong !== undefined) return refuse(wrong.code, wrong.message);
  const time = typeof entry.Time === 'number' ? new Date(entry.Time * 1000) : new Date();
  const event = eventOf(name, source, time, entry.Resources ?? [], detail);
  const { detail: _, ...head } = event;
  // As text, so that a number in it stays as it was written.
  const whole = `${JSON.stringify(head).slice(0, -1)},"detail":${text}}`;
  for (const rule of rules) {
    const { EventBusName, EventPattern } = rule.properties;
    if (EventBusName === bus.ref && matches(EventPattern, name)) targets.deliver(rule, event, whole);
  }
  return { EventId: event.id };
}

/** The ARN of a bus by its name or ARN; without either, of the account's default bus. */
const busArn = (name = 'default'): string =>
  name.startsWith('arn:') ? name : `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${name}`;

/** A rule without a pattern has a schedule. */
const matches = (pattern: Rule['properties']['EventPattern'], name: string): boolean =>
  pattern?.['detail-type'].some((one) =>
    typeof one === 'string' ? one === name : !one['anything-but'].includes(name),
  ) === true;

/** As AWS counts an entry: its texts in UTF-8, and 14 bytes for a time. */
function sizeOf(entry: JsonObject): number {
  const resources = isList(entry.Resources) ? entry.Resources : [];
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...resources];
  const bytes = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
  return bytes + (entry.Time === undefined ? 0 : 14);
}
