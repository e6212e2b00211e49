import { Aws, CfnRule, Fn, Stack, type StackProps } from 'aws-cdk-lib';
import { AccountPrincipal, ArnPrincipal, type IPrincipal, OrganizationPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import {
  type DeploymentOptions,
  propsOf,
  RefusedSettings,
  type SettingsPlace,
  type VaWaveProps,
} from './deployment-options.ts';
import { STAGES } from './stage.ts';
import { VaWave } from './va-wave.ts';

export type VaWaveStackProps = StackProps &
  DeploymentOptions &
  SettingsPlace &
  Pick<VaWaveProps, 'commit' | 'addressOfFiles'>;

/** The stack of this repository: one service, as the options say. */
export class VaWaveStack extends Stack {
  constructor(scope: Construct, id: string, props: VaWaveStackProps = {}) {
    super(scope, id, {
      description: 'va-wave: chat widget authentication and signed outbound requests',
      terminationProtection: STAGES[props.stage ?? 'prod'].deletionProtection,
      ...props,
    });
    const { platformAccounts = [], settingsRegion, settingsAccount } = props;
    refuseLongPolicy(platformAccounts, this.stackName.length);
    // The CDK leaves this id out of logical ids, names and outputs.
    const service = new VaWave(this, 'Default', propsOf(this, props));
    for (const account of platformAccounts) {
      for (const grant of ['grantPutEvents', 'grantCallTools', 'grantReportUsage'] as const)
        service[grant](platformOf(account));
    }
    this.#holdsIn('Region', Aws.REGION, settingsRegion);
    this.#holdsIn('Account', Aws.ACCOUNT_ID, settingsAccount);
  }

  /** Lets CloudFormation refuse another place, which the synthesis may not know. @param settingsPlace undefined for any */
  #holdsIn(kind: 'Region' | 'Account', place: string, settingsPlace: string | undefined): void {
    if (settingsPlace === undefined) return;
    const assertDescription = `va-wave: the settings of this stack in cdk.json are for ${settingsPlace}. Nothing was changed. Deploy another stack, with -c stackName=<name>`;
    const assertions = [{ assert: Fn.conditionEquals(place, settingsPlace), assertDescription }];
    new CfnRule(this, `HoldsIn${kind}`, { assertions });
  }
}

function platformOf(account: string): IPrincipal {
  if (account.startsWith('o-')) return new OrganizationPrincipal(account);
  return account.startsWith('arn:') ? new ArnPrincipal(account) : new AccountPrincipal(account);
}

/** AWS's limit for the policy of a bus in bytes (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html). That of a function is twice as long, for statements of less than twice the length. */
const BUS_POLICY_MAX = 10_240;
/** Bytes of a statement without its principal, and without the name of the stack, which its id and the ARN of the bus have. */
const STATEMENT_BYTES = 260;
/** Bytes of `arn:aws:iam::123456789012:root`, also of the condition on an organization. */
const ACCOUNT_BYTES = 32;

/** @throws RefusedSettings when the policy of the bus would be longer than AWS takes */
function refuseLongPolicy(platformAccounts: readonly string[], nameLength: number): void {
  const principals = platformAccounts.map((account) => Math.max(account.length, ACCOUNT_BYTES));
  const bytes = principals.reduce((sum, length) => sum + STATEMENT_BYTES + 2 * nameLength + length, 0);
  if (bytes <= BUS_POLICY_MAX) return;
  const problem = `makes a policy of ${bytes} bytes, and AWS takes ${BUS_POLICY_MAX}`;
  throw new RefusedSettings(`platformAccounts: ${problem}; name the organization of the accounts (o-…) instead`);
}

/** Returns the part of a file's address that stands before its path, without the remote's user name and token; '' if the remote is not on the web. @param remote as git has it */
export function addressOfFiles(remote: string): string {
  const [, host, path] = /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w.-]+\.\w+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return host === undefined ? '' : `https://${host}/${path}/blob/HEAD/`;
}
