import { randomBytes } from 'node:crypto';
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
import { deliveryRecords, eventAttempts } from '../src/adapters/dynamodb/delivery-log.ts';
import { erasure } from '../src/adapters/dynamodb/erasure.ts';
import { members } from '../src/adapters/dynamodb/members.ts';
import { warmThroughput } from '../src/adapters/dynamodb/warm-throughput.ts';
import { putOnBus } from '../src/adapters/event-bus.ts';
import { actionTestFunction } from '../src/adapters/lambda/action-test.ts';
import { type AssistantRuntime, assistantRuntime } from '../src/adapters/lambda/assistant-runtime.ts';
import { functionLog, type LogLine, type LogQuery } from '../src/adapters/log-group.ts';
import { cachedRing, replaceSecret, ringStore } from '../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../src/adapters/secrets/signing-secrets.ts';
import { deadLetterQueue } from '../src/adapters/sqs/dead-letter-queue.ts';
import { deliveriesQueue } from '../src/adapters/sqs/deliveries-queue.ts';
import { ensureUser } from '../src/adapters/user-pool.ts';
import type { Action } from '../src/contract/actions.ts';
import type { TestResult } from '../src/contract/dashboard.ts';
import { ACCESS_LOG_OUTPUT, type FunctionName, logOutput, OUTPUTS } from '../src/contract/outputs.ts';
import type { ManageActionsPorts } from '../src/domain/actions/manage-actions.ts';
import type { PutEventPorts } from '../src/domain/events/put-event.ts';
import type { DeadLetterQueue, RedrivenQueue } from '../src/domain/operations/dead-letters.ts';
import type { ErasePorts } from '../src/domain/operations/erase.ts';
import type { ReadLog } from '../src/domain/operations/event-attempts.ts';
import type { ReplayEventPorts } from '../src/domain/operations/replay-event.ts';
import type { ResealPorts } from '../src/domain/operations/reseal.ts';
import type { RevokeTokenKeysPorts } from '../src/domain/operations/revoke-token-keys.ts';
import type { RotateOriginSecretPorts } from '../src/domain/operations/rotate-origin-secret.ts';
import type { WarmTablesPorts } from '../src/domain/operations/warm-tables.ts';
import type { ManageMembersPorts } from '../src/domain/organizations/manage-members.ts';
import { Refusal } from '../src/domain/refusal.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';

type DomainPorts = ManageActionsPorts &
  ManageMembersPorts &
  PutEventPorts &
  ReplayEventPorts &
  RotateOriginSecretPorts &
  RevokeTokenKeysPorts &
  ResealPorts &
  ErasePorts &
  WarmTablesPorts;

/** A running va-wave, on AWS or as the one-machine service, with everything that the commands need except the steps of long work. */
export type Deployment = Omit<DomainPorts, 'step' | 'pause'> & {
  /** Base address of the service, without a slash at the end. */
  readonly baseUrl: string;
  readonly openSigningSecret: (action: Action) => Promise<string>;
  readonly deliveryRecords: ReadLog;
  /** Files of a certificate that the service trusts, for an endpoint on this machine. Only the one-machine service has them. */
  readonly receiverTls?: { readonly certificate: string; readonly key: string } | undefined;
  /** Sends the test request of an Action from the deployment. */
  readonly testAction: (orgId: string, actionId: string) => Promise<TestResult>;
  readonly runtime: AssistantRuntime;
  readonly deadLetters: (queue: RedrivenQueue) => DeadLetterQueue;
  /** Reads the lines of a log, the oldest first. */
  readonly log: (name: LogName, query: LogQuery) => AsyncIterable<LogLine>;
};

/** The log of a function, or the access log of the API. */
export type LogName = FunctionName | 'api';

/** Returns the name of a log group. @throws CommandFailure when the stack has no such output */
export function logGroupOf(outputs: Readonly<Record<string, string>>, name: LogName): string {
  const output = name === 'api' ? ACCESS_LOG_OUTPUT : logOutput(name);
  const group = outputs[output];
  if (group !== undefined) return group;
  const how = name === 'canary' ? 'with -c canary=true' : 'this version of va-wave';
  throw new CommandFailure(EXIT.fault, `The stack has no output ${output}: deploy ${how} first`);
}

/**
 * Creates the clients for a deployment. It makes no request.
 * @param outputs the outputs of its stack by name
 */
export function openDeployment(outputs: Readonly<Record<string, string>>, access: AwsAccess): Deployment {
  const output = (name: keyof typeof OUTPUTS): string => {
    const value = outputs[OUTPUTS[name]];
    if (value !== undefined) return value;
    throw new CommandFailure(
      EXIT.fault,
      `The stack has no output ${OUTPUTS[name]}: deploy this version of va-wave first`,
    );
  };
  // These outputs are read here, so that every command reports a stack of another version.
  const [eventBus, deliveryLogTable] = [output('eventBus'), output('deliveryLogTable')];
  const now = () => new Date();
  const client = dynamoDbClient(access);
  const dynamo = dynamoDb(client);
  const bus = eventBridgeClient(access);
  const lambda = lambdaClient(access);
  const queues = sqsClient(access);
  const secrets = secretsManagerClient(access);
  return {
    ...signingSecrets(cachedRing(secrets, output('sealingKey'), now), randomBytes),
    store: configurationStore(dynamo, output('configurationTable')),
    baseUrl: output('baseUrl'),
    putOnBus: (event) => putOnBus(bus, eventBus, event),
    deliveryRecords: (id, from) => deliveryRecords(dynamo, deliveryLogTable, id, from),
    testAction: actionTestFunction(lambda, output('actionTest')),
    runtime: assistantRuntime(lambda, { aiAction: output('aiAction'), usageReport: output('usageReport') }),
    members: members(dynamo, output('configurationTable')),
    ensureUser: ensureUser(cognitoClient(access), output('userPool')),
    eventAttempts: (actionId, eventId, when) => eventAttempts(dynamo, deliveryLogTable, actionId, eventId, when),
    sendDelivery: async (message) => {
      const { tooLarge } = await deliveriesQueue(queues, output('deliveriesQueue')).send([message]);
      if (tooLarge.length > 0) throw new Refusal('envelope_too_large');
    },
    replaceOriginSecret: (value) =>
      replaceSecret(secrets, output('originSecret'), value, outputs[OUTPUTS.originSecretVersion]),
    tokenRing: ringStore(secrets, output('tokenKeys')),
    sealingRing: ringStore(secrets, output('sealingKey')),
    erasure: erasure(dynamo, {
      configuration: output('configurationTable'),
      counters: output('countersTable'),
      conversations: output('conversationsTable'),
      deliveryLog: deliveryLogTable,
    }),
    warmedTables: {
      configuration: warmThroughput(client, output('configurationTable')),
      counters: warmThroughput(client, output('countersTable')),
      delivery_log: warmThroughput(client, deliveryLogTable),
    },
    deadLetters: (queue) =>
      deadLetterQueue(
        queues,
        queue === 'events'
          ? { source: output('eventsQueue'), deadLetters: output('eventsDeadLetters') }
          : { source: output('deliveriesQueue'), deadLetters: output('deliveriesDeadLetters') },
      ),
    log: (name, query) => functionLog(logsClient(access), logGroupOf(outputs, name), query),
    now,
    randomBytes,
  };
}
