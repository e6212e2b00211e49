import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { DASHBOARD_SCOPE } from '../../../src/contract/dashboard-operations.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { functionOf, invokeBySdk } from '../acceptance/local-service.ts';
import type { Service } from '../acceptance/scenario.ts';
import type { MiniStack } from './ministack.ts';

export type DeployedService = Service & {
  /** Returns the name of the resource whose logical id begins so in the account; '' when the stack has none. */
  readonly physical: (logicalId: string) => string;
};

/** Returns access to a stack in the emulator, for the acceptance scenario. */
export async function deployedService(ministack: MiniStack, stack: string): Promise<DeployedService> {
  const aws = { endpoint: ministack.url, region: ministack.region, credentials: ministack.credentials };
  const cloudFormation = new CloudFormationClient(aws);
  const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
  const outputs = Object.fromEntries(
    (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
  const { StackResources = [] } = await cloudFormation.send(new DescribeStackResourcesCommand({ StackName: stack }));
  const resources = new Map(
    StackResources.map(({ LogicalResourceId = '', PhysicalResourceId = '' }) => [
      LogicalResourceId,
      PhysicalResourceId,
    ]),
  );
  const physical = (construct: string) => [...resources].find(([id]) => id.startsWith(construct))?.[1] ?? '';
  const apiId = /^http:\/\/(\w+)\./.exec(outputs[OUTPUTS.apiUrl] ?? '')?.[1];
  // No DNS server resolves the host names of the emulator's APIs. The emulator also answers under this path.
  const apiUrl = `${ministack.url}/_aws/execute-api/${apiId}/$default`;
  return {
    aws,
    baseUrl: apiUrl,
    apiUrl,
    outputs,
    physical,
    loginClient: async () => ({
      metadataUrl: `${ministack.url}/${outputs[OUTPUTS.userPool]}/.well-known/openid-configuration`,
      clientId: physical('LoginClient'),
      redirectUri: `${outputs[OUTPUTS.dashboardUrl]}callback`,
      scope: `openid email ${DASHBOARD_SCOPE}`,
    }),
    invoke: invokeBySdk(aws, (construct) => resources.get(functionOf(resources.keys(), construct))),
  };
}
