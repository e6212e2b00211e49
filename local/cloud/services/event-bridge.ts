import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Authorizer } from '../access/authorizer.ts';
import { ACCOUNT, arnOf, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import { documentedProblem } from '../constraints/documented-limits.ts';
import { readKept, writeKept } from '../data-folder.ts';
import type { LambdaFunction } from '../functions/lambda-function.ts';
import { AwsError, type AwsService, demandOf, jsonResponse, jsonService, requireDocumented } from '../gateway.ts';
import { isObject, type Json, type JsonRecord, objectsOf, optionalText, parseObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';
import type { Queues } from './sqs.ts';

type Rule = Resource<'AWS::Events::Rule'>;
type Target = Rule['properties']['Targets'][number];

/**
 * Delivers an event to the targets of a rule.
 * @param text the event as JSON, in which each number is as it was written
 * @returns the refusal of an event that neither a target nor its dead-letter queue takes, because of what is in the event
 */
type Deliver = (rule: Rule, event: JsonRecord, text: string) => AwsError | undefined;

/** The codes of SQS for a message that is too large, and for one with a character that it does not take. */
const CONTENT_REFUSALS: ReadonlySet<string> = new Set(['InvalidParameterValue', 'InvalidMessageContents']);

/** Returns why the local cloud refuses an event that AWS accepts and the service loses (local/lost-events.ts); undefined accepts it. */
export type EventCheck = (event: {
  readonly name: string;
  readonly source: string;
  readonly detail: JsonRecord;
}) => Promise<{ readonly code: string; readonly message: string } | undefined>;

type EventBridgeOptions = {
  readonly buses: readonly Resource<'AWS::Events::EventBus'>[];
  readonly rules: readonly Rule[];
  readonly deliver: Deliver;
  readonly check: EventCheck | undefined;
};

/**
 * EventBridge: PutEvents with up to ten entries, each of which is accepted or refused separately. An event is delivered to the targets of
 * the rules whose pattern matches before the call is answered. An event that no queue takes is refused; AWS may accept it, and then loses it.
 */
export const eventBridge = (options: EventBridgeOptions): AwsService =>
  jsonService('events', {
    PutEvents: async ({ parameters, demand }) => {
      const entries = objectsOf(parameters, 'Entries');
      const sources = [...new Set(entries.map(({ Source }) => String(Source)))].sort();
      for (const entry of entries)
        demand('events:PutEvents', busArn(optionalText(entry, 'EventBusName')), { 'events:source': sources });
      requireDocumented('events PutEvents', parameters);
      const Entries: JsonRecord[] = [];
      for (const entry of entries) Entries.push(await putEntry(entry, options));
      const FailedEntryCount = Entries.filter(({ ErrorCode }) => ErrorCode !== undefined).length;
      return jsonResponse({ Entries, FailedEntryCount });
    },
  });

/** The event of an entry, or of a rule with a schedule. */
const eventOf = (name: string, source: string, time: Date, resources: Json, detail: JsonRecord) => ({
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

async function putEntry(entry: JsonRecord, { buses, rules, deliver, check }: EventBridgeOptions): Promise<JsonRecord> {
  const refuse = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });
  const [source = '', name = '', text = ''] = [entry.Source, entry.DetailType, entry.Detail].map((value) =>
    typeof value === 'string' ? value : '',
  );
  const problem = documentedProblem('events entry', entry);
  if (problem !== undefined) return refuse(problem.code, problem.message);
  const detail = parseObject(text);
  if (detail === undefined) return refuse('MalformedDetail', 'Detail is malformed.');
  const arn = busArn(optionalText(entry, 'EventBusName'));
  const bus = buses.find((known) => known.arn === arn);
  if (bus === undefined) return refuse('ResourceNotFoundException', `Event bus ${arn} does not exist.`);
  const wrong = await check?.({ name, source, detail });
  if (wrong !== undefined) return refuse(wrong.code, wrong.message);
  const time = typeof entry.Time === 'number' ? new Date(entry.Time * 1000) : new Date();
  if (Number.isNaN(time.getTime()))
    return refuse('InvalidArgument', 'Parameter Time is not valid. Reason: it is no time.');
  const event = eventOf(name, source, time, entry.Resources ?? [], detail);
  // The detail is passed on as it was written, because parsing would change long numbers.
  const { detail: _, ...head } = event;
  const eventText = `${JSON.stringify(head).slice(0, -1)},"detail":${text}}`;
  for (const rule of rules) {
    const { EventBusName, EventPattern } = rule.properties;
    if (EventBusName !== bus.ref || !matches(EventPattern, name)) continue;
    const lost = deliver(rule, event, eventText);
    if (lost !== undefined) return refuse('InvalidArgument', `No queue takes the event. ${lost.message}`);
  }
  return { EventId: event.id };
}

const busArn = (name = 'default'): string => (name.startsWith('arn:') ? name : arnOf('events', `event-bus/${name}`));

/** A rule without a pattern has a schedule. */
export const matches = (pattern: Rule['properties']['EventPattern'], name: string): boolean =>
  pattern?.['detail-type'].some((one) =>
    typeof one === 'string' ? one === name : !one['anything-but'].includes(name),
  ) === true;

/**
 * Returns how rules deliver: to queues and functions, with no rights but those that the queues and functions give to the rule. What is
 * refused goes to the target's dead-letter queue as the event was, without group and input, or is lost. AWS adds the reason as attributes, which nothing reads. A function that fails is not invoked again,
 * as Lambda would do it twice: its schedule comes again.
 * @throws CloudError when a rule has a target of another kind, or parameters that do not fit it
 */
export function eventTargets(
  rules: readonly Rule[],
  queueResources: readonly Resource<'AWS::SQS::Queue'>[],
  functions: readonly LambdaFunction[],
  { authorizer, queues }: { readonly authorizer: Authorizer; readonly queues: Queues },
): Deliver {
  const queueOf = (arn: string) => queueResources.find((queue) => queue.arn === arn);
  const functionOf = (arn: string) => functions.find((fn) => fn.definition.arn === arn);
  for (const { logicalId, properties } of rules) {
    for (const { Arn, SqsParameters, DeadLetterConfig } of properties.Targets) {
      const isKnown = queueOf(Arn) !== undefined || (SqsParameters === undefined && functionOf(Arn) !== undefined);
      if (isKnown && (DeadLetterConfig === undefined || queueOf(DeadLetterConfig.Arn) !== undefined)) continue;
      throw new CloudError(`The local cloud does not know the target ${Arn} of ${logicalId}`);
    }
  }

  /** Sends with the permissions of the rule. @returns the refusal of the target or of its service */
  const send = ({ arn: sourceArn }: Rule, resource: string, message: JsonRecord & { readonly MessageBody: string }) => {
    const demand = demandOf(authorizer, { kind: 'service', service: 'events.amazonaws.com', sourceArn });
    const queue = queueOf(resource);
    try {
      demand(queue === undefined ? 'lambda:InvokeFunction' : 'sqs:SendMessage', resource);
      if (queue === undefined) void functionOf(resource)?.invoke(message.MessageBody);
      else queues.send({ ...message, QueueUrl: queue.ref });
      return undefined;
    } catch (error) {
      if (error instanceof AwsError) return error;
      throw error;
    }
  };

  return (rule, event, text) => {
    let lossOfContent: AwsError | undefined;
    for (const { Arn, SqsParameters, DeadLetterConfig, InputTransformer } of rule.properties.Targets) {
      const MessageBody = transformedText(InputTransformer, event) ?? text;
      const group = SqsParameters === undefined ? undefined : groupId(SqsParameters.MessageGroupId, event);
      const refusal = send(rule, Arn, { MessageBody, ...(group === undefined ? {} : { MessageGroupId: group }) });
      if (refusal === undefined) continue;
      const ofContent = CONTENT_REFUSALS.has(refusal.code) ? refusal : undefined;
      if (DeadLetterConfig === undefined) {
        lossOfContent ??= ofContent;
        continue;
      }
      if (send(rule, DeadLetterConfig.Arn, { MessageBody: text }) !== undefined) lossOfContent ??= ofContent;
    }
    return lossOfContent;
  };
}

/** Returns the text of an input transformer: its template with the event's values in the places of their names, all of them members of the event itself. Without one, undefined. */
function transformedText(transformer: Target['InputTransformer'], event: JsonRecord): string | undefined {
  return transformer?.InputTemplate.replace(/<([^<>]+)>/g, (_, name: string) => {
    const path = transformer.InputPathsMap[name];
    if (path === undefined) throw new CloudError(`The input template has no path for <${name}>`);
    return JSON.stringify(event[path.slice('$.'.length)]);
  });
}

/** Returns the message group for a parameter: `$.detail.org_id` is looked up in the event, text that is no path stands for itself. */
function groupId(parameter: string, event: JsonRecord): string | undefined {
  if (!parameter.startsWith('$.')) return parameter;
  let value: Json | undefined = event;
  for (const name of parameter.slice(2).split('.')) value = isObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

const MINUTE_MS = 60_000;
const UNITS: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS };

/**
 * Returns what fires the rules with a schedule that are due at a time (unix milliseconds), once, however long ago they were due. The first
 * time is one interval after their first start. Due times are kept across restarts.
 * @throws CloudError on a schedule other than `rate(…)`, or a file that cannot be read
 */
export function schedule(rules: readonly Rule[], deliver: Deliver, file: string): (now: number) => void {
  /** When each rule is due, unix milliseconds, by ARN. */
  const dueAt = readKept(file, z.record(z.string(), z.number())) ?? {};
  const scheduledRules = rules.flatMap((rule) => {
    const { ScheduleExpression } = rule.properties;
    return ScheduleExpression === undefined ? [] : [{ rule, everyMs: intervalOf(ScheduleExpression) }];
  });
  return (now) => {
    for (const { rule, everyMs } of scheduledRules) {
      const next = now + everyMs;
      const due = dueAt[rule.arn] ?? Number.POSITIVE_INFINITY;
      if (due > now && due <= next) continue;
      dueAt[rule.arn] = next;
      writeKept(file, dueAt);
      // The rule is new, or its due time was set by a clock that was ahead: it waits for one interval from now on.
      if (due > next) continue;
      const event = eventOf('Scheduled Event', 'aws.events', new Date(now), [rule.arn], {});
      deliver(rule, event, JSON.stringify(event));
    }
  };
}

/** The milliseconds of `rate(5 minutes)`. @throws CloudError on anything else */
export function intervalOf(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNITS[unit];
  if (unitMs === undefined || Number(count) < 1) {
    throw new CloudError(`The local cloud does not know the schedule ${expression}`);
  }
  return Number(count) * unitMs;
}
