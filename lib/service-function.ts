import { Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '../src/contract/outputs.ts';
import type { Egress } from './egress.ts';
import { functionCode } from './function-code.ts';
import type { Stage } from './stage.ts';

/** How the functions that make outbound requests reach the world. */
export type Outbound = {
  /** The network that the function lives in. @default none: it reaches the world from AWS's own addresses */
  readonly egress?: Egress;
  /** Replaces the module behind `#network-rule` in the bundle. Only the one-machine cloud sets it. @default the strict rule */
  readonly networkRule?: string;
};

export type ServiceFunctionProps = Outbound & {
  /** Folder below lambdas/ that holds handler.ts. */
  readonly folder: FunctionName;
  readonly description: string;
  readonly timeout: Duration;
  /** In MB; CPU grows with it, and cold starts are CPU time. @default 512 */
  readonly memorySize?: number;
  /** Invocations at once that are kept for it, and that it may not exceed. @default none */
  readonly reservedConcurrency?: number | undefined;
  readonly stage: Stage;
};

/** A Lambda function of this service: one bundle, one role that starts with the right to write its own log and nothing else. */
export class ServiceFunction extends Construct {
  readonly fn: LambdaFunction;
  /** As its folder is called. */
  readonly name: FunctionName;
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    this.name = props.folder;
    this.log = new LogGroup(this, 'Log', {
      retention: props.stage.logRetention,
      removalPolicy: props.stage.removalPolicy,
    });
    // A role of our own: the managed policy that Lambda attaches otherwise allows writing to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.fn = new LambdaFunction(this, 'Function', {
      code: functionCode(props.folder, props.networkRule),
      handler: 'index.handler',
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memorySize ?? 512,
      timeout: props.timeout,
      role,
      logGroup: this.log,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.DISABLED,
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      ...props.egress?.placement,
    });
    this.log.grantWrite(role);
    props.egress?.allowInterfaces(role);
  }

  /** Allows exactly these calls on exactly these resources, and tells the function by environment where they are. */
  allow(grant: {
    readonly actions: readonly string[];
    readonly resources: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  }): void {
    this.fn.addToRolePolicy(new PolicyStatement({ actions: [...grant.actions], resources: [...grant.resources] }));
    for (const [name, value] of Object.entries(grant.environment ?? {})) this.fn.addEnvironment(name, value);
  }
}

/** For functions that answer a person: the API gives up after 30 s, a person long before. */
export const REQUEST_TIMEOUT = Duration.seconds(10);
/** One 5-second attempt to the endpoint, and the storage around it. */
export const ONE_ATTEMPT_TIMEOUT = Duration.seconds(15);
