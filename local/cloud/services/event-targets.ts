import type { Authorizer, Caller } from '../access/authorizer.ts';
import { CloudError } from '../cloud-error.ts';
import type { LambdaFunction } from '../functions/lambda-function.ts';
import { requireAllowed, ServiceError } from '../gateway.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';
import type { Queues } from './sqs.ts';

export type Rule = Resource<'AWS::Events::Rule'>;
type Target = Rule['properties']['Targets'][number];

/** Sends a message of SQS, or its body to a function. */
type Send = {
  readonly action: string;
  readonly send: (message: JsonObject & { readonly MessageBody: string }) => void;
};

/** Where rules send their events: queues and functions, with no rights but those that these give to the rule. */
export class EventTargets {
  readonly #authorizer: Authorizer;
  /** By ARN. */
  readonly #targets: ReadonlyMap<string, Send>;

  /** @throws CloudError when a rule has a target of another kind, or parameters that do not fit it */
  constructor(
    rules: readonly Rule[],
    queueResources: readonly Resource<'AWS::SQS::Queue'>[],
    { authorizer, queues, functions }: { authorizer: Authorizer; queues: Queues; functions: readonly LambdaFunction[] },
  ) {
    this.#authorizer = authorizer;
    this.#targets = new Map<string, Send>([
      ...queueResources.map(({ arn, ref: QueueUrl }): [string, Send] => [
        arn,
        { action: 'sqs:SendMessage', send: (message) => queues.send({ ...message, QueueUrl }) },
      ]),
      ...functions.map((fn): [string, Send] => [
        fn.definition.arn,
        { action: 'lambda:InvokeFunction', send: ({ MessageBody }) => void fn.invokeLater(MessageBody) },
      ]),
    ]);
    const isQueue = (arn: string) => queueResources.some((queue) => queue.arn === arn);
    for (const { logicalId, properties } of rules) {
      for (const { Arn, SqsParameters, DeadLetterConfig } of properties.Targets) {
        const fits = this.#targets.has(Arn) && (SqsParameters === undefined || isQueue(Arn));
        if (fits && (DeadLetterConfig === undefined || isQueue(DeadLetterConfig.Arn))) continue;
        throw new CloudError(`The local cloud does not know the target ${Arn} of ${logicalId}`);
      }
    }
  }

  /**
   * Delivers an event, as `text`, to the targets of a rule. What is refused goes to the target's dead-letter queue, with the reason as
   * attributes, or is lost.
   */
  deliver(rule: Rule, event: JsonObject, text: string): void {
    for (const { Arn, SqsParameters, DeadLetterConfig, InputTransformer } of rule.properties.Targets) {
      const MessageBody = transformed(InputTransformer, event) ?? text;
      const group = SqsParameters === undefined ? undefined : groupId(SqsParameters.MessageGroupId, event);
      const refusal = this.#send(rule, Arn, { MessageBody, ...(group === undefined ? {} : { MessageGroupId: group }) });
      if (refusal === undefined || DeadLetterConfig === undefined) continue;
      const reason = { RULE_ARN: rule.arn, TARGET_ARN: Arn, ERROR_CODE: refusal.code, ERROR_MESSAGE: refusal.message };
      const MessageAttributes = Object.fromEntries(
        Object.entries(reason).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      );
      this.#send(rule, DeadLetterConfig.Arn, { MessageBody: text, MessageAttributes });
    }
  }

  /** Sends with the permissions of the rule. @returns the refusal of the target or of its service */
  #send({ arn: sourceArn }: Rule, resource: string, message: Parameters<Send['send']>[0]): ServiceError | undefined {
    const target = this.#targets.get(resource);
    if (target === undefined) return undefined;
    const caller: Caller = { kind: 'service', service: 'events.amazonaws.com', sourceArn };
    try {
      requireAllowed(this.#authorizer, caller, { action: target.action, resource });
      target.send(message);
      return undefined;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
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
