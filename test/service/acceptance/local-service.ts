import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { LocalCloud } from '../../../local/local-cloud.ts';
import type { LoginClient } from './login.ts';
import type { Service } from './scenario.ts';

/** Returns access to a service that runs in a local cloud of this process. */
export function localService(cloud: LocalCloud, assembly: string): Service {
  const ids = functionIds(assembly);
  return {
    baseUrl: cloud.baseUrl,
    apiUrl: cloud.apiUrl,
    aws: { endpoint: cloud.gatewayUrl, region: cloud.region, credentials: cloud.credentials },
    outputs: cloud.outputs,
    loginClient: () => loginOf(cloud.baseUrl),
    invoke: async (construct, payload) => {
      const result = await cloud.invoke(functionOf(ids, construct), payload);
      if (result.hasFailed) throw new Error(`${construct} failed: ${result.payload}`);
      return JSON.parse(result.payload);
    },
  };
}

/** Returns `invoke` of a service in an account or in another process. @param nameOf finds a function's name by the id of its construct */
export function invokeBySdk(aws: Service['aws'], nameOf: (construct: string) => string | undefined): Service['invoke'] {
  const lambda = new LambdaClient(aws);
  return async (construct, payload) => {
    const FunctionName = nameOf(construct);
    const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(payload) }));
    const text = answer.Payload?.transformToString() ?? 'null';
    if (answer.FunctionError !== undefined) throw new Error(`${construct} failed: ${text}`);
    return JSON.parse(text);
  };
}

/** The login settings that the dashboard's page loads. */
export async function loginOf(baseUrl: string): Promise<LoginClient> {
  const config: { issuer: string; client_id: string; scope: string } = JSON.parse(
    await (await fetch(`${baseUrl}/dashboard/config.json`)).text(),
  );
  return {
    metadataUrl: `${config.issuer}/.well-known/openid-configuration`,
    clientId: config.client_id,
    redirectUri: `${baseUrl}/dashboard/callback`,
    scope: config.scope,
  };
}

/** Returns the logical ids of the functions in the template of an assembly. */
export function functionIds(assembly: string): readonly string[] {
  const template: { Resources: Record<string, { Type: string }> } = JSON.parse(
    readFileSync(join(assembly, 'VaWave.template.json'), 'utf8'),
  );
  return Object.entries(template.Resources).flatMap(([id, { Type }]) => (Type === 'AWS::Lambda::Function' ? [id] : []));
}

/**
 * Finds the logical id of a function among the ids of a template.
 * @param construct id of the function's construct, in any feature
 * @throws when there is no such function
 */
export function functionOf(logicalIds: Iterable<string>, construct: string): string {
  const wanted = new RegExp(`${construct}Function[0-9A-F]{8}$`);
  for (const id of logicalIds) if (wanted.test(id)) return id;
  throw new Error(`The stack has no function ${construct}`);
}
