import {
  GetFunctionRecursionConfigCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  RecursiveLoop,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { type Check, expectThat } from './check.ts';

/** Lambda would end the retries of a delivery as an endless loop. The setting may have been changed since the deployment. */
export const retriesAllowed: Check = {
  name: 'Lambda lets the dispatcher send retries to its own queue',
  run: async ({ access, output }) => {
    const { Attributes } = await new SQSClient(access).send(
      new GetQueueAttributesCommand({ QueueUrl: output(OUTPUTS.deliveriesQueue), AttributeNames: ['QueueArn'] }),
    );
    const lambda = new LambdaClient(access);
    const { EventSourceMappings = [] } = await lambda.send(
      new ListEventSourceMappingsCommand({ EventSourceArn: Attributes?.QueueArn }),
    );
    // The setting belongs to the function, and the mapping may name an alias of it.
    const [dispatcher] = EventSourceMappings.flatMap(
      ({ FunctionArn }) => FunctionArn?.split(':').slice(0, 7).join(':') ?? [],
    );
    expectThat(dispatcher !== undefined, 'no function receives messages of the deliveries queue');
    const { RecursiveLoop: setting } = await lambda.send(
      new GetFunctionRecursionConfigCommand({ FunctionName: dispatcher }),
    );
    expectThat(setting === RecursiveLoop.Allow, `the setting is ${setting}`);
    return `the setting is ${setting}`;
  },
};
