import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { parseJson } from '../../contract/json.ts';

/**
 * Invokes a function of this service and waits for its result.
 * @throws Error when the function failed; the cause is in the function's log
 */
export async function invokeFunction(client: LambdaClient, functionName: string, input: object): Promise<unknown> {
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(input)) }),
  );
  if (FunctionError !== undefined || Payload === undefined) throw new Error(`The function ${functionName} failed`);
  return parseJson(Buffer.from(Payload).toString('utf8'));
}
