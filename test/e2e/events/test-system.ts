import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type Deployment, openDeployment } from '../../../cli/deployment.ts';
import { type LocalCloud, startLocalCloud } from '../../../local/local-cloud.ts';
import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import type { EventName } from '../../../src/contract/events.ts';
import type { BusEvent, DeliveryMessage } from '../../../src/contract/queues.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { createAction } from '../../../src/domain/actions/manage-actions.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { localService } from '../acceptance/local-service.ts';
import { type Operator, operatorOf } from '../acceptance/operator.ts';
import { type Receiver, startReceiver } from '../acceptance/receiver.ts';
import type { Service } from '../acceptance/scenario.ts';

/** The real bundles in a local cloud, a receiver that they trust, and the operations of the tests. */
export type TestSystem = {
  readonly cloud: LocalCloud;
  readonly service: Service;
  readonly receiver: Receiver;
  readonly operator: Operator;
  readonly management: Deployment;
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly deliveriesQueue: string;
  /** Creates an Event Action with the receiver's `path` as endpoint. @returns its id */
  readonly eventAction: (
    siteId: string,
    path: string,
    events: readonly EventName[],
    more?: { readonly method?: string; readonly enabled?: boolean },
  ) => Promise<string>;
  readonly organization: () => Promise<{ readonly orgId: string; readonly siteId: string }>;
  /** Invokes the router with events as its queue does, without the bus. */
  readonly route: (...events: readonly BusEvent[]) => Promise<unknown>;
  /** The same, with the bodies of the messages. */
  readonly routeTexts: (...bodies: readonly string[]) => Promise<unknown>;
  /** Puts a message on the deliveries queue. */
  readonly enqueue: (message: DeliveryMessage) => Promise<void>;
  /** Waits until `count` records of an Action are complete. @returns them, the newest first */
  readonly finished: (actionId: string, count: number, patienceMs?: number) => Promise<readonly DeliveryRecord[]>;
  /** Returns every stored item of the delivery log. */
  readonly storedRecords: () => Promise<readonly Record<string, unknown>[]>;
  /** Returns what the functions have logged. */
  readonly logs: () => string;
  readonly stop: () => Promise<void>;
};

export async function startTestSystem(): Promise<TestSystem> {
  const data = temporaryFolder();
  const receiver = await startReceiver();
  const authority = join(data, 'authority.pem');
  writeFileSync(authority, receiver.authorityPem);
  const assembly = await serviceAssembly();
  const cloud = await startLocalCloud({ data, assembly, authorities: [authority] }).catch(async (error: unknown) => {
    await receiver.stop();
    throw error;
  });
  const service = localService(cloud, assembly);
  const operator = operatorOf(cloud);
  const management = openDeployment(cloud.outputs, service.aws);
  const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(service.aws));
  const sqs = new SQSClient(service.aws);
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const deliveriesQueue = QueueUrls.find((url) => /DeliveriesQueue/.test(url)) ?? '';
  let routed = 0;
  const routeTexts = (...bodies: readonly string[]) =>
    service.invoke('EventRouter', {
      Records: bodies.map((body) => ({
        messageId: `routed-${routed++}`,
        body,
        attributes: {},
        messageAttributes: {},
        eventSource: 'aws:sqs',
      })),
    });
  return {
    cloud,
    service,
    receiver,
    operator,
    management,
    dynamo,
    sqs,
    deliveriesQueue,
    eventAction: async (siteId, path, events, more = {}) => {
      const input = { trigger: 'Event', name: path, url: receiver.url(path), events, ...more };
      return (await createAction(siteId, input, management)).action_id;
    },
    organization: async () => {
      const orgId = await operator.createOrganization('Events', 'paid');
      return { orgId, siteId: await operator.createAssistant(orgId, { domain: 'a.example', hourlyRateLimit: 1000 }) };
    },
    route: (...events) => routeTexts(...events.map((event) => JSON.stringify(event))),
    routeTexts,
    enqueue: async (message) => {
      await sqs.send(new SendMessageCommand({ QueueUrl: deliveriesQueue, MessageBody: JSON.stringify(message) }));
    },
    finished: async (actionId, count, patienceMs) => {
      let records: readonly DeliveryRecord[] = [];
      await until(async () => {
        records = (await operator.deliveries(actionId)).filter((record) => record.state !== 'started');
        return records.length >= count;
      }, patienceMs);
      return records;
    },
    storedRecords: async () => {
      const items: Record<string, unknown>[] = [];
      const TableName = cloud.outputs[OUTPUTS.deliveryLogTable];
      for await (const page of paginateScan({ client: dynamo }, { TableName })) items.push(...(page.Items ?? []));
      return items;
    },
    logs: () =>
      readdirSync(cloud.logsFolder)
        .map((file) => readFileSync(join(cloud.logsFolder, file), 'utf8'))
        .join(''),
    stop: async () => {
      sqs.destroy();
      dynamo.destroy();
      await cloud.stop();
      await receiver.stop();
    },
  };
}
