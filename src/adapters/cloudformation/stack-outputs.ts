import { CloudFormationServiceException, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { Refusal } from '../../domain/refusal.ts';
import { type AwsAccess, cloudFormationClient } from '../aws-clients.ts';

/** Finds a stack by name. @returns undefined when there is none in this account and region */
export async function findStack(name: string, access: AwsAccess): Promise<Stack | undefined> {
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

/** Reads the outputs of a deployed stack by name. @throws Refusal 404 when there is no such stack in this account and region */
export async function stackOutputs(stackName: string, access: AwsAccess): Promise<Readonly<Record<string, string>>> {
  const stack = await findStack(stackName, access);
  if (stack === undefined) {
    throw new Refusal('stack_not_found', {
      message: `stack: there is no stack ${stackName} in this account and region`,
    });
  }
  return Object.fromEntries(
    (stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey ?? '', OutputValue ?? '']),
  );
}
