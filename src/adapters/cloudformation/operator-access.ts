import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { AwsAccess } from '../aws/access.ts';

/**
 * Region and credentials as an operator's other tools find them: profiles, single sign-on, roles, the environment. Only the SDK
 * knows all of these, and asks again when credentials expire.
 * @throws the SDK's errors when it finds no region
 */
export async function operatorAccess(access: AwsAccess): Promise<AwsAccess> {
  const { config } = new CloudFormationClient(access);
  return { ...access, region: await config.region(), credentials: config.credentials };
}
