import type { Authorizer } from '../access/authorizer.ts';
import type { Caller } from '../access/callers.ts';
import { CloudError } from '../cloud-error.ts';
import type { SqsEngine } from '../engines/sqs.ts';
import type { LambdaFunctions } from '../functions/lambda-functions.ts';
import { requireAllowed, ServiceError } from '../gateway/aws-request.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';

export type Rule = Resource<'AWS::Events::Rule'>;
type Target = Rule['properties']['Targets'][number];

/** Sends a message of SQS, or its body to a function. @throws ServiceError when the caller has no permission, or the service refuses */
type Send = (caller: Caller, message: JsonObject & { readonly MessageBody: string }) => Promise<void>;

/** Where rules send their events: queues and functions, with no rights but those that these give to the rule. */
export class EventTargets {
  readonly #queues: ReadonlyMap<string, Send>;
  readonly #functions: ReadonlyMap<string, Send>;

  /** @throws CloudError when a rule has a target of another kind, or parameters that do not fit it */
  constructor(
    rules: readonly Rule[],
    queues: readonly Resource<'AWS::SQS::Queue'>[],
    { authorizer, sqs, functions }: { authorizer: Authorizer; sqs: SqsEngine; functions: LambdaFunctions },
  ) {
    this.#queues = new Map(
      queues.map(({ arn: resource, ref: QueueUrl }): [string, Send] => [
        resource,
        async (caller, message) => {
          requireAllowed(authorizer, caller, { action: 'sqs:SendMessage', resource });
          await sqs.send({ ...message, QueueUrl });
        },
      ]),
    );
    this.#functions = new Map(
      functions.all.map((fn): [string, Send] => [
        fn.definition.arn,
        async (caller, { MessageBody }) => {
          requireAllowed(authorizer, caller, { action: 'lambda:InvokeFunction', resource: fn.definition.arn });
          fn.invokeLater(MessageBody);
        },
      ]),
    );
    for (const { logicalId, properties } of rules) {
      for (const { Arn, SqsParameters, DeadLetterConfig } of properties.Targets) {
        const known = this.#queues.has(Arn) || (this.#functions.has(Arn) && SqsParameters === undefined);
        if (!known || (DeadLetterConfig !== undefined && !this.#queues.has(DeadLetterConfig.Arn))) {
          throw new CloudError(`The local cloud does not know the target ${Arn} of ${logicalId}`);
        }
      }
    }
  }

  /**
   * Delivers an event, as `text`, to the targets of a rule. What is refused goes to the target's dead-letter queue, with the reason as
   * attributes, or is lost.
   */
  async deliver(rule: Rule, event: JsonObject, text: string): Promise<void> {
    const caller: Caller = { kind: 'service', service: 'events.amazonaws.com', sourceArn: rule.arn };
    for (const target of rule.properties.Targets) {
      const { Arn, SqsParameters, DeadLetterConfig } = target;
      const send = this.#queues.get(Arn) ?? this.#functions.get(Arn);
      const MessageBody = transformed(target.InputTransformer, event) ?? text;
      const group = SqsParameters === undefined ? undefined : groupId(SqsParameters.MessageGroupId, event);
      try {
        await send?.(caller, { MessageBody, ...(group === undefined ? {} : { MessageGroupId: group }) });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const reason = { RULE_ARN: rule.arn, TARGET_ARN: Arn, ERROR_CODE: error.code, ERROR_MESSAGE: error.message };
        const MessageAttributes = Object.fromEntries(
          Object.entries(reason).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
        );
        const sendDead = this.#queues.get(DeadLetterConfig?.Arn ?? '');
        await sendDead?.(caller, { MessageBody: text, MessageAttributes }).catch((lost: unknown) => {
          if (!(lost instanceof ServiceError)) throw lost;
        });
      }
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
