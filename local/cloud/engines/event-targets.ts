import type { Caller } from '../access/callers.ts';
import { CloudError } from '../cloud-error.ts';
import { ServiceError } from '../gateway/aws-request.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FunctionDefinition, QueueDefinition, RuleDefinition } from '../template/model.ts';

type Target = RuleDefinition['properties']['Targets'][number];

type Definitions = {
  readonly rules: readonly RuleDefinition[];
  readonly queues: readonly QueueDefinition[];
  readonly functions: readonly FunctionDefinition[];
};

/** The calls to targets. Both throw a ServiceError when the caller has no permission or the service refuses. */
export type TargetCalls = {
  send(caller: Caller, queue: QueueDefinition, message: JsonObject): Promise<void>;
  /** Without waiting for what the function does. @param event JSON text */
  invoke(caller: Caller, fn: FunctionDefinition, event: string): Promise<void>;
};

/** Where rules send their events: queues and functions, with no rights but those that these give to the rule. */
export class EventTargets {
  readonly #queues: ReadonlyMap<string, QueueDefinition>;
  readonly #functions: ReadonlyMap<string, FunctionDefinition>;
  readonly #callers: ReadonlyMap<string, Caller>;
  readonly #calls: TargetCalls;

  /** @throws CloudError when a rule has a target of another kind, or parameters that do not fit it */
  constructor({ rules, queues, functions }: Definitions, calls: TargetCalls) {
    this.#queues = new Map(queues.map((queue) => [queue.arn, queue]));
    this.#functions = new Map(functions.map((fn) => [fn.arn, fn]));
    this.#callers = new Map(
      rules.map(({ arn }) => [arn, { kind: 'service', service: 'events.amazonaws.com', sourceArn: arn }]),
    );
    this.#calls = calls;
    for (const { logicalId, properties } of rules) {
      for (const { Arn, SqsParameters, DeadLetterConfig } of properties.Targets) {
        const known = this.#queues.has(Arn) || (this.#functions.has(Arn) && SqsParameters === undefined);
        if (!known || (DeadLetterConfig !== undefined && !this.#queues.has(DeadLetterConfig.Arn))) {
          throw new CloudError(`The local cloud does not know the target ${Arn} of ${logicalId}`);
        }
      }
    }
  }

  /** Delivers an event, as `text`. What is refused goes to the target's dead-letter queue, with the reason as attributes, or is lost. */
  async deliver(rule: RuleDefinition, target: Target, event: JsonObject, text: string): Promise<void> {
    const caller = this.#callers.get(rule.arn);
    if (caller === undefined) throw new Error(`${rule.logicalId} is no rule of this template`);
    try {
      await this.#send(caller, target, event, transformed(target.InputTransformer, event) ?? text);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const deadLetters = target.DeadLetterConfig && this.#queues.get(target.DeadLetterConfig.Arn);
      if (deadLetters === undefined) return;
      const reason = {
        RULE_ARN: rule.arn,
        TARGET_ARN: target.Arn,
        ERROR_CODE: error.code,
        ERROR_MESSAGE: error.message,
      };
      const MessageAttributes = Object.fromEntries(
        Object.entries(reason).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      );
      const letter = { MessageBody: text, MessageAttributes };
      await this.#calls.send(caller, deadLetters, letter).catch((lost: unknown) => {
        if (!(lost instanceof ServiceError)) throw lost;
      });
    }
  }

  async #send(caller: Caller, { Arn, SqsParameters }: Target, event: JsonObject, text: string): Promise<void> {
    const fn = this.#functions.get(Arn);
    if (fn !== undefined) return this.#calls.invoke(caller, fn, text);
    const queue = this.#queues.get(Arn);
    if (queue === undefined) throw new ServiceError('ResourceNotFoundException', `There is no target ${Arn}`);
    const group = SqsParameters === undefined ? undefined : groupId(SqsParameters.MessageGroupId, event);
    await this.#calls.send(caller, queue, {
      MessageBody: text,
      ...(group === undefined ? {} : { MessageGroupId: group }),
    });
  }
}

/** The template with the event's values in the places of their names; undefined without one. */
function transformed(transformer: Target['InputTransformer'], event: JsonObject): string | undefined {
  return transformer?.InputTemplate.replace(/<([^<>]+)>/g, (_, name: string) => {
    const path = transformer.InputPathsMap[name];
    if (path === undefined) throw new CloudError(`The input template has no path for <${name}>`);
    return JSON.stringify(event[path.slice('$.'.length)]);
  });
}

/** `$.detail.org_id` is looked up in the event; text that is no path stands for itself. */
function groupId(parameter: string, event: JsonObject): string | undefined {
  if (!parameter.startsWith('$.')) return parameter;
  let value: Json | undefined = event;
  for (const name of parameter.slice(2).split('.')) value = isObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
