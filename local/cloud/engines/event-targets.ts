import type { Caller } from '../access/callers.ts';
import { CloudError } from '../cloud-error.ts';
import { ServiceError } from '../gateway/aws-request.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FunctionDefinition, QueueDefinition, RuleDefinition } from '../template/model.ts';

type Target = RuleDefinition['properties']['Targets'][number];

type Definitions = {
  readonly rules: readonly RuleDefinition[];
  readonly queues: readonly QueueDefinition[];
  readonly functions: readonly FunctionDefinition[];
};

/** Where rules send their events: queues and functions, with no rights but those that these give to the rule. */
export class EventTargets {
  readonly #queueUrls: ReadonlyMap<string, string>;
  readonly #functions: ReadonlyMap<string, string>;
  readonly #gateway: () => Gateway;

  /** @throws CloudError when a rule has a target of another kind, or parameters that do not fit it */
  constructor({ rules, queues, functions }: Definitions, gateway: () => Gateway) {
    this.#queueUrls = new Map(queues.map(({ arn, url }) => [arn, url]));
    this.#functions = new Map(functions.map(({ arn, name }) => [arn, name]));
    this.#gateway = gateway;
    for (const { logicalId, properties } of rules) {
      for (const { Arn, SqsParameters, DeadLetterConfig } of properties.Targets) {
        const known = this.#queueUrls.has(Arn) || (this.#functions.has(Arn) && SqsParameters === undefined);
        if (!known || (DeadLetterConfig !== undefined && !this.#queueUrls.has(DeadLetterConfig.Arn))) {
          throw new CloudError(`The one-machine cloud does not know the target ${Arn} of ${logicalId}`);
        }
      }
    }
  }

  /** Delivers an event, as `text`. What is refused goes to the target's dead-letter queue, with the reason as attributes, or is lost. */
  async deliver(rule: RuleDefinition, target: Target, event: JsonObject, text: string): Promise<void> {
    const caller: Caller = { kind: 'service', service: 'events.amazonaws.com', sourceArn: rule.arn };
    try {
      await this.#send(caller, target, event, text);
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
      const letter = { MessageBody: text, MessageAttributes };
      await this.#sendMessage(caller, target.DeadLetterConfig.Arn, letter).catch((lost: unknown) => {
        if (!(lost instanceof ServiceError)) throw lost;
      });
    }
  }

  async #send(caller: Caller, target: Target, event: JsonObject, text: string): Promise<void> {
    const name = this.#functions.get(target.Arn);
    if (name !== undefined) return this.#invoke(caller, name, text);
    const group = target.SqsParameters === undefined ? undefined : groupId(target.SqsParameters.MessageGroupId, event);
    await this.#sendMessage(caller, target.Arn, {
      MessageBody: text,
      ...(group === undefined ? {} : { MessageGroupId: group }),
    });
  }

  async #sendMessage(caller: Caller, queueArn: string, message: JsonObject): Promise<void> {
    const QueueUrl = this.#queueUrls.get(queueArn) ?? '';
    await this.#gateway().callJson('sqs', caller, 'AmazonSQS.SendMessage', { QueueUrl, ...message });
  }

  async #invoke(caller: Caller, functionName: string, text: string): Promise<void> {
    const { status, body } = await this.#gateway().call('lambda', {
      caller,
      method: 'POST',
      path: `/2015-03-31/functions/${functionName}/invocations`,
      headers: { 'x-amz-invocation-type': 'Event' },
      body: Buffer.from(text),
    });
    if (status >= 300) throw new ServiceError('INVOCATION_FAILED', body.toString(), status);
  }
}

/** `$.detail.org_id` is looked up in the event; text that is no path stands for itself. */
function groupId(parameter: string, event: JsonObject): string | undefined {
  if (!parameter.startsWith('$.')) return parameter;
  let value: Json | undefined = event;
  for (const name of parameter.slice(2).split('.')) value = isObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
