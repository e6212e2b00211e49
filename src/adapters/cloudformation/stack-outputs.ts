import { CloudFormationServiceException, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { Refusal } from '../../domain/refusal.ts';
import { type AwsAccess, cloudFormationClient } from '../aws-clients.ts';

/**
 * Reads the outputs of a deployed stack by name.
 * @throws Refusal 404 when there is no such stack in this account and region
 */
export async function stackOutputs(stackName: string, access: AwsAccess): Promise<Readonly<Record<string, string>>> {
  const client = cloudFormationClient(access);
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const outputs = Stacks?.[0]?.Outputs ?? [];
    return Object.fromEntries(outputs.map(({ OutputKey, OutputValue }) => [OutputKey ?? '', OutputValue ?? '']));
  } catch (error) {
    // CloudFormation has no error code for a missing stack.
    const missing = error instanceof CloudFormationServiceException && / does not exist$/.test(error.message);
    if (!missing) throw error;
    throw new Refusal('stack_not_found', {
      message: `stack: there is no stack ${stackName} in this account and region`,
    });
  } finally {
    client.destroy();
  }
}
