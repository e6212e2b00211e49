import { Duration } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionFolder } from '#bundles';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import type { FunctionName } from '../src/deployment/outputs.ts';
import { acknowledge } from './acknowledged-findings.ts';
import { allowThrough, ENCRYPTING } from './own-key.ts';
import type { Stage } from './stage.ts';

export type Placement = Pick<lambda.FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

export type ServiceFunctionProps = Placement &
  Pick<lambda.FunctionProps, 'timeout' | 'memorySize' | 'reservedConcurrentExecutions' | 'recursiveLoop'> & {
    readonly stage: Stage;
    /** Folder below lambdas/ that contains handler.ts. */
    readonly folder: FunctionName;
    readonly description: string;
    /** @default request */
    readonly invokedBy?: InvokedBy;
  };

/** What invokes a function, which decides how a gradual release shifts the traffic (releases.ts). A share of the few invocations of a schedule shows no fault, so its function has no alias. */
export type InvokedBy = 'request' | 'message' | 'schedule';

const ALIAS = 'live';

/** A function with its own bundle and role, which may write to its log, and what tracing and network need. */
export class ServiceFunction extends Construct {
  readonly fn: lambda.Function;
  /** What callers and event sources invoke: the function, or the alias whose traffic shifts gradually. */
  readonly callable: lambda.IFunction;
  readonly invokedBy: InvokedBy;
  readonly name: FunctionName;
  readonly logGroup: LogGroup;
  readonly #key: IKey | undefined;
  readonly #encryptingServices = new Set<string>();

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { stage, folder, invokedBy = 'request', ...settings } = props;
    const { service, tracing, isGradual, logs } = stage;
    this.#key = stage.encryptionKey;
    this.name = folder;
    this.invokedBy = invokedBy;
    this.logGroup = new LogGroup(this, 'Log', logs);
    // The managed policy that Lambda attaches by default would allow writing to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.fn = new lambda.Function(this, 'Function', {
      // CPU grows with the memory (MB), and a cold start is mostly CPU time.
      memorySize: 512,
      // For a caller that waits for the response. API Gateway ends a request after 30 s, and callers give up earlier.
      timeout: Duration.seconds(10),
      ...settings,
      code: lambda.Code.fromAsset(functionFolder(folder)),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      role,
      logGroup: this.logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      tracing: tracing ? lambda.Tracing.ACTIVE : lambda.Tracing.DISABLED,
      environment: {
        [ENVIRONMENT.metricsService]: service,
        ...(tracing && { [ENVIRONMENT.tracing]: 'true' }),
      },
    });
    this.logGroup.grantWrite(role);
    if (settings.vpc !== undefined) allowInterfaces(role);
    if (tracing) acknowledge(this, 'The calls of X-Ray have no resource.', 'IAM5[Resource::*]');
    this.callable =
      isGradual && invokedBy !== 'schedule'
        ? new lambda.Alias(this, 'Live', { aliasName: ALIAS, version: this.fn.currentVersion })
        : this.fn;
  }

  /**
   * Name and ARN with which another function of the same feature invokes this one, as text. A reference to the alias would be a cycle: alias,
   * its deployment, the feature's alarm, the invoking function, alias.
   */
  get invocationTarget(): { readonly name: string; readonly arn: string } {
    const qualifier = this.callable === this.fn ? '' : `:${ALIAS}`;
    return { name: `${this.fn.functionName}${qualifier}`, arn: `${this.fn.functionArn}${qualifier}` };
  }

  /** Allows these calls on these resources, and passes the names of the resources in environment variables. */
  allow(grant: {
    readonly actions: readonly string[];
    readonly resources: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  }): void {
    for (const action of grant.actions) this.#allowKeyFor(action.slice(0, action.indexOf(':')));
    this.fn.addToRolePolicy(new PolicyStatement({ actions: [...grant.actions], resources: [...grant.resources] }));
    for (const [name, value] of Object.entries(grant.environment ?? {})) this.fn.addEnvironment(name, value);
  }

  #allowKeyFor(service: string): void {
    if (this.#key === undefined || !ENCRYPTING.has(service)) return;
    this.#encryptingServices.add(service);
    // Once, because the statement reads the set at synthesis.
    if (this.#encryptingServices.size === 1) this.fn.addToRolePolicy(allowThrough(this.#key, this.#encryptingServices));
  }
}

/** Timeout of functions that make one 5-second attempt, with its reads and writes. */
export const ONE_ATTEMPT_TIMEOUT = Duration.seconds(15);

/** Allows Lambda to attach a function to a network, and denies the same calls to the code of the function. */
function allowInterfaces(role: Role): void {
  const calls = {
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resources: ['*'],
  };
  role.addToPolicy(new PolicyStatement(calls));
  // Lambda sets this condition key only when the code of the function makes the call.
  const conditions = { Null: { 'lambda:SourceFunctionArn': 'false' } };
  role.addToPolicy(new PolicyStatement({ ...calls, effect: Effect.DENY, conditions }));
  const reason =
    'Lambda checks these calls without naming a network interface; the code of the function is denied these calls.';
  acknowledge(role, reason, 'IAM5[Resource::*]');
}
