import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { startLocalCloud } from '../../../local/local-cloud.ts';
import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import type { EventName } from '../../../src/contract/events.ts';
import type { BusEvent } from '../../../src/contract/queues.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { until } from '../../harness/until.ts';
import { sqsEvent } from '../../unit/lambdas/invocation.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { localService } from '../acceptance/local-service.ts';
import { operatorOf } from '../acceptance/operator.ts';
import { startReceiver } from '../acceptance/receiver.ts';

export type TestSystem = Awaited<ReturnType<typeof startTestSystem>>;

/** Starts the real bundles in a local cloud, and a receiver that they trust. @returns them with the operations of the tests */
export async function startTestSystem() {
  const data = temporaryFolder();
  const receiver = await startReceiver();
  const assembly = await serviceAssembly();
  const cloud = await startLocalCloud({ data, assembly, authorities: [receiver.authorityFile] }).catch(
    async (error: unknown) => {
      await receiver.stop();
      throw error;
    },
  );
  const service = localService(cloud, assembly);
  const operator = operatorOf(cloud);
  const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(service.aws));
  const sqs = new SQSClient(service.aws);
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const deliveriesQueue = QueueUrls.find((url) => /DeliveriesQueue/.test(url)) ?? '';
  return {
    cloud,
    service,
    receiver,
    operator,
    sqs,
    deliveriesQueue,
    /** Creates an Event Action with the receiver's `path` as endpoint. @returns its id */
    eventAction: (siteId: string, path: string, events: readonly EventName[]) =>
      operator.createAction(siteId, { trigger: 'Event', name: path, url: receiver.url(path), events }),
    organization: async () => {
      const orgId = await operator.createOrganization('Events', 'paid');
      return { orgId, siteId: await operator.createAssistant(orgId, { domain: 'a.example', hourlyRateLimit: 1000 }) };
    },
    /** Invokes the router with events as its queue does, without the bus. */
    route: (...events: readonly BusEvent[]) => service.invoke('EventRouter', sqsEvent(...events)),
    /** Waits until `count` records of an Action are complete. @returns them, the newest first */
    finished: async (actionId: string, count: number) => {
      let records: readonly DeliveryRecord[] = [];
      await until(async () => {
        records = (await operator.deliveries(actionId)).filter((record) => record.state !== 'started');
        return records.length >= count;
      });
      return records;
    },
    /** Returns every stored item of the delivery log. */
    storedRecords: async () => {
      const items: Record<string, unknown>[] = [];
      const TableName = cloud.outputs[OUTPUTS.deliveryLogTable];
      for await (const page of paginateScan({ client: dynamo }, { TableName })) items.push(...(page.Items ?? []));
      return items;
    },
    /** Returns what the functions have logged. */
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
