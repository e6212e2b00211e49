import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { AwsAccess } from '../aws/access.ts';

/** One attempt is five seconds at most, with the log around it; only then is it worth giving up. Never sent twice. */
export function lambdaClient(access: AwsAccess = {}): LambdaClient {
  return new LambdaClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 14_000, throwOnRequestTimeout: true },
    ...access,
  });
}

/**
 * Invokes a function of this service and waits for what it returns.
 * @throws Error when the function failed; its log has the cause
 */
export async function invokeFunction(client: LambdaClient, functionName: string, input: object): Promise<unknown> {
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(input)) }),
  );
  if (FunctionError !== undefined || Payload === undefined) throw new Error(`The function ${functionName} failed`);
  return JSON.parse(Buffer.from(Payload).toString('utf8'));
}
