import { join } from 'node:path';
import type { Authorizer } from '../access/authorizer.ts';
import { type AccessKeys, type Caller, type Credentials, newCredentials } from '../access/callers.ts';
import { REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { LambdaResource } from '../template/stack.ts';
import { FunctionLog } from './function-log.ts';
import { INVOCATIONS_AT_ONCE, LambdaFunction } from './lambda-function.ts';

type LambdaFunctionsOptions = {
  readonly definitions: readonly LambdaResource[];
  readonly keys: AccessKeys;
  readonly authorizer: Authorizer;
  readonly gatewayUrl: string;
  readonly logFolder: string;
  /** A file that gets the lines of every function. */
  readonly logCopy: string | undefined;
  /** Additional environment variables of every function, for the differences between the local cloud and AWS. */
  readonly extraEnvironment: Readonly<Record<string, string>>;
  /** Folder where V8 keeps compiled code for the next environment. */
  readonly compiledCode: string;
  /** Answers the calls that functions make without a socket. */
  readonly call: Gateway['call'];
  readonly onError: (functionId: string, line: string) => void;
};

/** Every function of the stack, ready to be invoked. */
export class LambdaFunctions {
  readonly all: readonly LambdaFunction[];

  /** @throws CloudError when a function's role may not be taken by Lambda */
  constructor(options: LambdaFunctionsOptions) {
    const { keys, authorizer } = options;
    this.all = options.definitions.map((definition) => {
      const { logicalId, ref, role, properties } = definition;
      if (!authorizer.mayAssume(role, 'lambda.amazonaws.com')) {
        throw new CloudError(`${logicalId}: its role ${role.logicalId} does not let lambda.amazonaws.com assume it`);
      }
      const sessionArn = `${role.arn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${ref}`;
      const caller: Caller = { kind: 'function', functionId: logicalId, sessionArn, role };
      const log = new FunctionLog({
        file: join(options.logFolder, `${logicalId}.log`),
        caller,
        logGroup: properties.LoggingConfig.LogGroup,
        authorizer,
        copy: options.logCopy,
        onError: (line) => options.onError(logicalId, line),
      });
      return new LambdaFunction({
        definition,
        caller,
        issue: () => {
          const credentials = newCredentials();
          keys.set(credentials.accessKeyId, caller);
          const variables = variablesOf(definition, credentials, options);
          return { variables, revoke: () => keys.delete(credentials.accessKeyId) };
        },
        compiledCode: options.compiledCode,
        call: options.call,
        onOutput: (text) => log.write(text),
        onLost: (message) => options.onError(logicalId, message),
      });
    });
  }

  /** A function by its name, ARN or logical id. */
  find(id: string): LambdaFunction | undefined {
    return this.all.find(({ definition: { ref, arn, logicalId } }) => [ref, arn, logicalId].includes(id));
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((each) => each.stop()));
  }
}

/** Returns the function's environment with the variables of Lambda, and no variable of this process. */
function variablesOf(
  { ref, codeFolder, properties }: LambdaResource,
  { accessKeyId, secretAccessKey }: Credentials,
  { gatewayUrl, extraEnvironment }: LambdaFunctionsOptions,
): Record<string, string> {
  return {
    ...properties.Environment.Variables,
    ...extraEnvironment,
    AWS_ENDPOINT_URL: gatewayUrl,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: 'local',
    AWS_EXECUTION_ENV: `AWS_Lambda_${properties.Runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: ref,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'lambda-managed-instances',
    AWS_LAMBDA_MAX_CONCURRENCY: String(INVOCATIONS_AT_ONCE),
    AWS_LAMBDA_LOG_GROUP_NAME: properties.LoggingConfig.LogGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_LOG_FORMAT: properties.LoggingConfig.LogFormat,
    LAMBDA_TASK_ROOT: codeFolder,
    _HANDLER: properties.Handler,
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
  };
}
