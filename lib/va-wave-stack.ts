import { Stack, type StackProps } from 'aws-cdk-lib';
import { AccountPrincipal, ArnPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type DeploymentOptions, propsOf, type VaWaveProps } from './deployment-options.ts';
import { STAGES } from './stage.ts';
import { VaWave } from './va-wave.ts';

export type VaWaveStackProps = StackProps & DeploymentOptions & Pick<VaWaveProps, 'commit' | 'addressOfFiles'>;

/** The stack of this repository: one service, as the options say. */
export class VaWaveStack extends Stack {
  constructor(scope: Construct, id: string, props: VaWaveStackProps = {}) {
    super(scope, id, {
      description: 'va-wave: chat widget authentication and signed outbound requests',
      terminationProtection: STAGES[props.stage ?? 'prod'].deletionProtection,
      ...props,
    });
    // The CDK leaves this id out of logical ids, names and outputs.
    const service = new VaWave(this, 'Default', propsOf(this, props));
    for (const account of props.platformAccounts ?? []) {
      const platform = account.startsWith('arn:') ? new ArnPrincipal(account) : new AccountPrincipal(account);
      for (const grant of ['grantPutEvents', 'grantCallTools', 'grantReportUsage'] as const) service[grant](platform);
    }
  }
}

/**
 * Returns the address of a page about a file in a repository, before its path; '' when the repository is not on the web. It has no user name and
 * no token of the remote's address.
 * @param remote as git has it, such as `git@github.com:owner/name.git`
 */
export function addressOfFiles(remote: string): string {
  const [, host, path] = /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w.-]+\.\w+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return host === undefined ? '' : `https://${host}/${path}/blob/HEAD/`;
}
