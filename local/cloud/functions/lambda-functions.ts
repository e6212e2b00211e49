import { join } from 'node:path';
import type { Authorizer } from '../access/authorizer.ts';
import type { AccessKeys, Caller, Credentials } from '../access/callers.ts';
import { REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { FunctionDefinition } from '../template/model.ts';
import { FunctionLog } from './function-log.ts';
import { INVOCATIONS_AT_ONCE, LambdaFunction } from './lambda-function.ts';

type LambdaFunctionsOptions = {
  readonly definitions: readonly FunctionDefinition[];
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
  readonly onError: (functionId: string, line: string) => void;
};

/** Every function of the stack, ready to be invoked. */
export class LambdaFunctions {
  readonly #functions: readonly LambdaFunction[];
  readonly #callers = new Map<LambdaFunction, Caller>();

  /** @throws CloudError when a function's role may not be taken by Lambda */
  constructor(options: LambdaFunctionsOptions) {
    this.#functions = options.definitions.map((definition) => {
      const { logicalId, name, role, logGroup } = definition;
      if (!options.authorizer.mayAssume(role, 'lambda.amazonaws.com')) {
        throw new CloudError(`${logicalId}: its role ${role.logicalId} does not let lambda.amazonaws.com assume it`);
      }
      const sessionArn = role.arn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/').concat(`/${name}`);
      const caller: Caller = { kind: 'function', functionId: logicalId, sessionArn, role };
      const log = new FunctionLog({
        file: join(options.logFolder, `${logicalId}.log`),
        caller,
        logGroup,
        authorizer: options.authorizer,
        copy: options.logCopy,
        onError: (line) => options.onError(logicalId, line),
      });
      const made = new LambdaFunction({
        definition,
        issue: () => {
          const credentials = options.keys.issue(caller);
          const variables = variablesOf(definition, credentials, options);
          return { variables, revoke: () => options.keys.revoke(credentials.accessKeyId) };
        },
        compiledCode: options.compiledCode,
        onOutput: (text) => log.write(text),
        onLost: (message) => options.onError(logicalId, message),
      });
      this.#callers.set(made, caller);
      return made;
    });
  }

  /** A function by its name, ARN or logical id. */
  find(id: string): LambdaFunction | undefined {
    return this.#functions.find(({ definition: { name, arn, logicalId } }) => [name, arn, logicalId].includes(id));
  }

  /** Returns the caller as which the function makes its calls. */
  caller(of: LambdaFunction): Caller {
    const caller = this.#callers.get(of);
    if (caller === undefined) throw new Error('The function is not in this template');
    return caller;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#functions.map((each) => each.stop()));
  }
}

/** Returns the function's environment with the variables of Lambda, and no variable of this process. */
function variablesOf(
  { name, codeFolder, logGroup, properties }: FunctionDefinition,
  { accessKeyId, secretAccessKey }: Credentials,
  { gatewayUrl, extraEnvironment }: LambdaFunctionsOptions,
): Record<string, string> {
  return {
    ...properties.Environment.Variables,
    ...extraEnvironment,
    ...Object.fromEntries(ENDPOINTS.map((service) => [`AWS_ENDPOINT_URL_${service}`, gatewayUrl])),
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: 'local',
    AWS_EXECUTION_ENV: `AWS_Lambda_${properties.Runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'lambda-managed-instances',
    AWS_LAMBDA_MAX_CONCURRENCY: String(INVOCATIONS_AT_ONCE),
    AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_LOG_FORMAT: properties.LoggingConfig.LogFormat,
    LAMBDA_TASK_ROOT: codeFolder,
    _HANDLER: properties.Handler,
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
  };
}

/** The environment variables from which the AWS clients read their endpoints. */
const ENDPOINTS = ['DYNAMODB', 'SQS', 'EVENTBRIDGE', 'SECRETS_MANAGER', 'SNS', 'LAMBDA'] as const;
