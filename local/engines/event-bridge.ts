import { randomUUID } from 'node:crypto';
import type { Caller } from '../access/callers.ts';
import { ServiceError } from '../gateway/aws-request.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { ACCOUNT, REGION } from '../template/identities.ts';
import { isList, isObject, type Json, type JsonObject, parseObject } from '../template/json.ts';
import type { BusDefinition, QueueDefinition, RuleDefinition } from '../template/model.ts';
import { matchesPattern, requireKnownPattern } from './event-pattern.ts';

/** Bytes of all entries of a call together. */
const MAX_ENTRIES_BYTES = 1024 * 1024;

type Target = RuleDefinition['properties']['Targets'][number];

type Definitions = {
  readonly buses: readonly BusDefinition[];
  readonly rules: readonly RuleDefinition[];
  readonly queues: readonly QueueDefinition[];
};

/** Takes events and passes those that a rule's pattern matches on to its queues, before it answers. */
export class EventBridge {
  readonly #definitions: Definitions;
  readonly #queueUrls: ReadonlyMap<string, string>;
  readonly #gateway: () => Gateway;

  /** @throws CloudError when a rule has a pattern or a target that is not known here */
  constructor(definitions: Definitions, gateway: () => Gateway) {
    this.#definitions = definitions;
    this.#gateway = gateway;
    this.#queueUrls = new Map(definitions.queues.map(({ arn, url }) => [arn, url]));
    for (const { properties } of definitions.rules) requireKnownPattern(properties.EventPattern);
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
    const bus = this.#definitions.buses.find(({ arn }) => arn === busArn);
    if (bus === undefined) {
      return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `Event bus ${busArn} does not exist.` };
    }
    const time = typeof entry.Time === 'number' ? new Date(entry.Time * 1000) : new Date();
    const event: JsonObject = {
      version: '0',
      id: randomUUID(),
      'detail-type': entry.DetailType ?? '',
      source: entry.Source ?? '',
      account: ACCOUNT,
      time: `${time.toISOString().slice(0, 19)}Z`,
      region: REGION,
      resources: entry.Resources ?? [],
      detail: parseObject(String(entry.Detail)) ?? {},
    };
    for (const rule of this.#definitions.rules) {
      const { EventBusName, State, EventPattern, Targets } = rule.properties;
      if (EventBusName !== bus.name || State !== 'ENABLED' || !matchesPattern(EventPattern, event)) continue;
      for (const target of Targets) await this.#deliver(rule, target, event);
    }
    return { EventId: event.id ?? '' };
  }

  /** What cannot be delivered goes to the target's dead-letter queue, with the reason as attributes, or is lost. */
  async #deliver(rule: RuleDefinition, target: Target, event: JsonObject): Promise<void> {
    const caller: Caller = { kind: 'service', service: 'events.amazonaws.com', sourceArn: rule.arn };
    const group = target.SqsParameters === undefined ? undefined : groupId(target.SqsParameters.MessageGroupId, event);
    try {
      await this.#send(caller, target.Arn, {
        MessageBody: JSON.stringify(event),
        ...(group === undefined ? {} : { MessageGroupId: group }),
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (target.DeadLetterConfig === undefined) return;
      const reason = {
        RULE_ARN: rule.arn,
        TARGET_ARN: target.Arn,
        ERROR_CODE: error.code,
        ERROR_MESSAGE: error.message,
      };
      const MessageAttributes = Object.fromEntries(
        Object.entries(reason).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      );
      await this.#send(caller, target.DeadLetterConfig.Arn, {
        MessageBody: JSON.stringify(event),
        MessageAttributes,
      }).catch((lost: unknown) => {
        if (!(lost instanceof ServiceError)) throw lost;
      });
    }
  }

  async #send(caller: Caller, queueArn: string, message: JsonObject): Promise<void> {
    const QueueUrl = this.#queueUrls.get(queueArn);
    if (QueueUrl === undefined) throw new ServiceError('TARGET_NOT_FOUND', `${queueArn} is not a queue of the stack`);
    await this.#gateway().callJson('sqs', caller, 'AmazonSQS.SendMessage', { QueueUrl, ...message });
  }
}

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

/** `$.detail.org_id` is looked up in the event; text that is no path stands for itself. */
function groupId(parameter: string, event: JsonObject): string | undefined {
  if (!parameter.startsWith('$.')) return parameter;
  let value: Json | undefined = event;
  for (const name of parameter.slice(2).split('.')) value = isObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
