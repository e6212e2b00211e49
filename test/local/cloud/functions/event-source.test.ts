import { setTimeout as pause } from 'node:timers/promises';
import { EventSource, type QueueMessage } from '../../../../local/cloud/functions/event-source.ts';
import type { EventSourceDefinition } from '../../../../local/cloud/template/model.ts';

const definition: EventSourceDefinition = {
  logicalId: 'Source',
  EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:queue',
  FunctionName: 'function',
  BatchSize: 10,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  ScalingConfig: { MaximumConcurrency: 5 },
};

test('receives as many messages as the pace allows, and none while the pace allows none', async () => {
  let allowed = 0;
  let waiting = 5;
  const batches: number[] = [];
  const source = new EventSource({
    definition,
    pace: { admit: () => allowed, ended: () => {} },
    queue: {
      check: () => {},
      arrival: async () => {
        if (waiting === 0) await pause(5);
        return waiting > 0;
      },
      receive: (max) => Array.from({ length: Math.min(max, waiting) }, () => message(`message-${waiting--}`)),
      delete: async (handles) => void batches.push(handles.length),
    },
    pool: {
      concurrency: 1,
      acquire: async () => ({}),
      run: async () => ({ failed: false, payload: 'null' }),
      release: () => {},
    },
    onError: (error) => {
      throw new Error(error);
    },
  });
  source.start();
  await pause(100);
  expect(waiting).toBe(5);
  allowed = 2;
  while (batches.length < 3) await pause(5);
  expect(batches).toEqual([2, 2, 1]);
  await source.stop();
});

const message = (id: string): QueueMessage => ({ MessageId: id, ReceiptHandle: id, Body: '{}', MD5OfBody: '' });
