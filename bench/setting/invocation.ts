import { randomUUID } from 'node:crypto';

/** Returns the part of Lambda's context that the functions read. */
export const lambdaContext = () => ({
  awsRequestId: randomUUID(),
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:bench',
  memoryLimitInMB: '512',
  getRemainingTimeInMillis: () => 15_000,
});

/** Returns an event with which SQS invokes a function. @param bodies as JSON */
export const sqsEvent = (bodies: readonly string[]) => ({
  Records: bodies.map((body) => ({
    messageId: randomUUID(),
    receiptHandle: 'receipt',
    body,
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:queue',
    awsRegion: 'eu-central-1',
  })),
});

export type SqsHandler = (event: object, context: object) => Promise<{ readonly batchItemFailures: readonly object[] }>;
