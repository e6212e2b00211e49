import * as crypto from 'node:crypto';
import { type LogLine, type LogQuery, logGroupLines, warmThroughput } from '../src/adapters/aws-account.ts';
import {
  type AwsAccess,
  cognitoClient,
  dynamoDbClient,
  eventBridgeClient,
  lambdaClient,
  logsClient,
  secretsManagerClient,
  sqsClient,
} from '../src/adapters/aws-clients.ts';
import { dynamoDb } from '../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../src/adapters/dynamodb/configuration-store.ts';
import { deliveryLogReads } from '../src/adapters/dynamodb/delivery-records.ts';
import { erasure } from '../src/adapters/dynamodb/erasure.ts';
import { members } from '../src/adapters/dynamodb/memberships.ts';
import { eventBus } from '../src/adapters/event-bus.ts';
import { actionTestFunction, assistantRuntime } from '../src/adapters/function-invocations.ts';
import { cachedRing, replaceSecret, ringStore, signingSecrets } from '../src/adapters/secrets/secret-store.ts';
import { deadLetterQueue } from '../src/adapters/sqs/dead-letter-queue.ts';
import { deliveriesQueue } from '../src/adapters/sqs/deliveries-queue.ts';
import { userPoolLogins } from '../src/adapters/user-pool.ts';
import type { DeliveryMessage } from '../src/contract/queues.ts';
import { ACCESS_LOG_OUTPUT, type FunctionName, logOutput, OUTPUTS } from '../src/deployment/outputs.ts';
import { BoundedMap } from '../src/domain/bounded-map.ts';
import { Refusal } from '../src/domain/refusal.ts';
import { ServiceError } from '../src/domain/service-error.ts';
import type { RandomBytes } from '../src/domain/sources.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';

/** A running va-wave, on AWS or as the one-machine service, with everything that the commands need. `command.ts` adds `step` and `pause`. */
export type Deployment = ReturnType<typeof openDeployment>;
export type LogName = FunctionName | 'api';

/** How many of the records that cannot be read a command names. To code of an older version these may be all of a log. */
const UNREADABLE_NAMED = 20;

export type OneMachine = {
  /** Files of a certificate that the service trusts, for an endpoint on this machine. */
  readonly receiverTls?: { readonly certificate: string; readonly key: string };
  readonly logLines: (logGroup: string, query: LogQuery) => AsyncIterable<LogLine>;
};

/**
 * Makes no request. @param arn of the operator's identity in AWS, or why AWS does not name it: then the commands that record who works fail
 * @throws CommandFailure when an output is missing
 */
export function openDeployment(
  outputs: Readonly<Record<string, string>>,
  access: AwsAccess,
  arn: string | Error,
  oneMachine?: OneMachine,
) {
  const deployedVersion = outputs[OUTPUTS.version] ?? 'of the stack';
  const remedy = `this version of va-wave, or use the command line of the deployed version ${deployedVersion}`;
  const outputNamed = (name: string, toDeploy = remedy) => {
    const value = outputs[name];
    if (value !== undefined) return value;
    throw new CommandFailure(EXIT.fault, `The stack has no output ${name}: deploy ${toDeploy}`);
  };
  const output = (name: keyof typeof OUTPUTS): string => outputNamed(OUTPUTS[name]);
  const tables = {
    configuration: output('configurationTable'),
    counters: output('countersTable'),
    conversations: output('conversationsTable'),
    deliveryLog: output('deliveryLogTable'),
  };
  const now = () => new Date();
  const client = dynamoDbClient(access);
  const dynamo = dynamoDb(client);
  const bus = eventBridgeClient(access);
  const lambda = lambdaClient(access);
  const queues = sqsClient(access);
  const secrets = secretsManagerClient(access);
  const { send } = deliveriesQueue(queues, output('deliveriesQueue'));
  const randomBytes: RandomBytes = crypto.randomBytes;
  const unreadableRecords = new BoundedMap<string, { readonly cause: Error }>(UNREADABLE_NAMED);
  const unreadable = (cause: Error) => void unreadableRecords.set(cause.message, { cause });
  return {
    now,
    randomBytes,
    /** Base address of the service, without a slash at the end. */
    baseUrl: output('baseUrl'),
    receiverTls: oneMachine?.receiverTls,
    ...signingSecrets(cachedRing(secrets, output('sealingKey'), now), randomBytes),
    author: {
      kind: 'operator',
      get arn() {
        if (typeof arn !== 'string') throw arn;
        return arn;
      },
    } as const,
    store: configurationStore(dynamo, tables.configuration, now),
    members: members(dynamo, tables.configuration),
    logins: userPoolLogins(cognitoClient(access), output('userPool')),
    publish: eventBus(bus, output('eventBus')),
    eventArchiveDays: Number(outputs[OUTPUTS.eventArchiveDays]) || undefined,
    /** Returns what could not be read of the logs and of the audit trail so far. `command.ts` names it when a command has done everything else. */
    unreadableRecords: () => {
      const causes = [...unreadableRecords.values()];
      const more = { cause: new ServiceError(`At most ${UNREADABLE_NAMED} records are named`) };
      return causes.length < UNREADABLE_NAMED ? causes : [...causes, more];
    },
    ...deliveryLogReads(dynamo, tables.deliveryLog, unreadable),
    /** Sends the message to the deliveries queue. @throws Refusal 413 when the message is too large */
    sendDelivery: async (message: DeliveryMessage) => {
      const { tooLarge } = await send([message]);
      if (tooLarge.length > 0) throw new Refusal('envelope_too_large');
    },
    testAction: actionTestFunction(lambda, output('actionTest')),
    runtime: assistantRuntime(lambda, { aiAction: output('aiAction'), usageReport: output('usageReport') }),
    /** Stores a new origin secret. @returns the id of its version @throws Refusal while the distribution does not send the current one */
    replaceOriginSecret: (value: string) =>
      replaceSecret(secrets, output('originSecret'), value, outputs[OUTPUTS.originSecretVersion]),
    tokenRing: ringStore(secrets, output('tokenKeys')),
    sealingRing: ringStore(secrets, output('sealingKey')),
    erasure: erasure(dynamo, tables, unreadable),
    /** What the tables that events fill or read take at once. No event needs the conversations. */
    warmedTables: {
      configuration: warmThroughput(client, tables.configuration),
      counters: warmThroughput(client, tables.counters),
      delivery_log: warmThroughput(client, tables.deliveryLog),
    },
    deadLetters: (queue: 'events' | 'deliveries') =>
      deadLetterQueue(queues, { source: output(`${queue}Queue`), deadLetters: output(`${queue}DeadLetters`) }),
    /** Reads the lines of a log, the oldest first. */
    logLines: (name: LogName, query: LogQuery): AsyncIterable<LogLine> => {
      const outputName = name === 'api' ? ACCESS_LOG_OUTPUT : logOutput(name);
      const group = outputNamed(outputName, name === 'canary' ? 'with -c canary=true' : undefined);
      return oneMachine?.logLines(group, query) ?? logGroupLines(logsClient(access), group, query);
    },
  };
}
