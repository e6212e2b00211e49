import { CloudFormationServiceException, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { type CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeLimitsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { OUTPUTS } from '../deployment/outputs.ts';
import { Refusal } from '../domain/refusal.ts';
import { type AwsAccess, cloudFormationClient, dynamoDbClient, lambdaClient, stsClient } from './aws-clients.ts';

/**
 * Reads the state of the AWS account. `stack` and `toolkit` are the states of the service's stack and of the CDK's; a stack is undefined when
 * there is none of its name, and a quota when the caller may not read it.
 * @throws errors of the SDK when stacks cannot be read or credentials are missing
 */
export async function accountState(stackName: string, toolkitName: string, access: AwsAccess) {
  const cloudFormation = cloudFormationClient(access);
  const [region, toolkit, stack, concurrency, tableWriteUnits] = await Promise.all([
    cloudFormation.config.region(),
    findStack(toolkitName, access),
    findStack(stackName, access),
    quota(lambdaClient(access), async (client) => {
      const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
      return AccountLimit?.ConcurrentExecutions;
    }),
    quota(
      dynamoDbClient(access),
      async (client) => (await client.send(new DescribeLimitsCommand({}))).TableMaxWriteCapacityUnits,
    ),
  ]);
  const version = stack?.Outputs?.find(({ OutputKey }) => OutputKey === OUTPUTS.version)?.OutputValue;
  return { region, toolkit: toolkit?.StackStatus, stack: stack?.StackStatus, version, concurrency, tableWriteUnits };
}

/** Reads a quota with a client that nothing else uses, and closes it. @returns undefined when the caller may not, so that a missing permission does not stop the other checks */
async function quota<Client extends { destroy(): void }>(
  client: Client,
  readQuota: (client: Client) => Promise<number | undefined>,
): Promise<number | undefined> {
  try {
    return await readQuota(client);
  } catch (error) {
    if (error instanceof Error && error.name.startsWith('AccessDenied')) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

/** Finds a stack by name. @returns undefined when there is none in this account and region */
async function findStack(name: string, access: AwsAccess): Promise<Stack | undefined> {
  const client = cloudFormationClient(access);
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: name }))).Stacks?.[0];
  } catch (error) {
    // CloudFormation has no error code for a missing stack.
    if (error instanceof CloudFormationServiceException && / does not exist$/.test(error.message)) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

/** Reads the outputs of a deployed stack by name. @throws Refusal 404 when there is no such stack in this account and region, or its creation failed */
export async function stackOutputs(stackName: string, access: AwsAccess): Promise<Readonly<Record<string, string>>> {
  const stack = await findStack(stackName, access);
  if (stack === undefined)
    throw new Refusal('stack_not_found', { problem: `there is no stack ${stackName} in this account and region` });
  const { StackStatus: state = '', Outputs = [] } = stack;
  // A stack whose creation has not ended, or has failed, has no outputs.
  if (Outputs.length === 0 && !/^(CREATE|UPDATE\w*|IMPORT)_COMPLETE$/.test(state)) {
    throw new Refusal('stack_not_found', { problem: `${stackName} is not deployed: its state is ${state}` });
  }
  return Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey ?? '', OutputValue ?? '']));
}

/**
 * Finds credentials as the AWS CLI does: profiles, single sign-on, roles, environment. All clients share the result, so that the operator
 * enters an MFA code once and a role is assumed once.
 * @param mfaCodeProvider asks for the code of an MFA device, whose number it gets, where a profile names one
 * @throws errors of the SDK when it finds no region
 */
export async function operatorAccess(
  access: AwsAccess,
  mfaCodeProvider?: (device: string) => Promise<string>,
): Promise<AwsAccess> {
  const { requestHandler } = access;
  const credentials = defaultProvider({ mfaCodeProvider, clientConfig: { requestHandler } });
  return { ...access, region: await cloudFormationClient(access).config.region(), credentials };
}

/** Returns the ARN of the caller, whom AWS names without a permission, or why it does not, as in a network without STS. */
export const callerArn = (access: AwsAccess): Promise<string | Error> =>
  stsClient(access)
    .send(new GetCallerIdentityCommand({}))
    .then(
      ({ Arn = '' }) => Arn,
      (error: Error) => error,
    );

export type LogQuery = { readonly since: Date; readonly searchedText?: string | undefined };
/** A line of a log. `time` is in ISO 8601. */
export type LogLine = { readonly time: string; readonly text: string };

/** Reads the lines of a log group, oldest first. */
export async function* logGroupLines(
  client: CloudWatchLogsClient,
  logGroupName: string,
  { since, searchedText = '' }: LogQuery,
): AsyncIterable<LogLine> {
  // CloudWatch returns the lines that contain every quoted term. A term cannot have a quote, so the text between quotes is searched there.
  const terms = searchedText.split('"').filter((term) => term !== '');
  const filterPattern = terms.length === 0 ? undefined : terms.map((term) => `"${term}"`).join(' ');
  const input = { logGroupName, startTime: since.getTime(), filterPattern };
  for await (const { events = [] } of paginateFilterLogEvents({ client }, input)) {
    for (const { timestamp = 0, message = '' } of events) {
      const text = message.trimEnd();
      if (text.includes(searchedText)) yield { time: new Date(timestamp).toISOString(), text };
    }
  }
}

/** The units per second that a table takes at once; they can only be raised, and DynamoDB bills what is added (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html). */
export const warmThroughput = (client: DynamoDBClient, TableName: string) => ({
  read: async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const { ReadUnitsPerSecond: reads = 0, WriteUnitsPerSecond: writes = 0 } = Table?.WarmThroughput ?? {};
    const updating = [Table?.TableStatus, Table?.WarmThroughput?.Status].includes('UPDATING');
    return { reads, writes, updating };
  },
  /** Begins the change. Until it ends, the table is updating, and DynamoDB refuses another one: then somebody else has begun one just now. */
  raise: async ({ reads, writes }: { readonly reads: number; readonly writes: number }) => {
    const WarmThroughput = { ReadUnitsPerSecond: reads, WriteUnitsPerSecond: writes };
    await client.send(new UpdateTableCommand({ TableName, WarmThroughput })).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
  },
});
