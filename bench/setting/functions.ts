import { join } from 'node:path';
import { readAssembly } from '../../local/cloud/template/assembly.ts';
import { Stack } from '../../local/cloud/template/stack.ts';
import { assembleService } from '../../local/service-assembly.ts';

export type SqsHandler = (event: object, context: object) => Promise<{ readonly batchItemFailures: readonly object[] }>;

/** No function in a benchmark calls these addresses. */
const NOWHERE = '127.0.0.1:9';
/** The value of every secret: a key of the ring that signs tokens, or seals signing secrets. */
export const SECRET = { kid: 'bench', key: 'the key of the benchmark, which protects nothing' };

/** Synthesizes the service into a folder of its own in this one. @param rule.strict false for the local network rule, which allows endpoints on loopback */
export async function assembledService(folder: string, rule: { readonly strict: boolean }): Promise<BenchedService> {
  const outdir = join(folder, rule.strict ? 'strict' : 'local');
  await assembleService(outdir, rule);
  return serviceOf(outdir);
}

export type BenchedService = ReturnType<typeof serviceOf>;

export function serviceOf(outdir: string) {
  const stack = new Stack({
    assembly: readAssembly(outdir),
    addresses: { edge: NOWHERE, api: NOWHERE, gateway: NOWHERE, login: NOWHERE },
    secretString: () => JSON.stringify(SECRET),
  });
  const functions = stack.functions().map(({ logicalId, codeFolder, properties }) => ({
    name: kebabCase(logicalId.replace(/Function[0-9A-F]{8}$/, '')), // Such as widget-routes-widget-init.
    bundle: join(codeFolder, 'index.mjs'),
    timeoutSeconds: properties.Timeout,
    variables: properties.Environment.Variables,
  }));
  return {
    tables: stack.all('AWS::DynamoDB::Table'),
    functions,
    /** The environment variables of all functions, without those of the SDK. Equal names have equal values. */
    variables: Object.fromEntries(functions.flatMap(({ variables }) => Object.entries(variables))),
    /** @param name with or without the construct around it: `widget-routes-widget-init` @throws Error unless it names one function */
    bundleOf(name: string): string {
      const [found, another] = functions.filter((one) => one.name === name || one.name.endsWith(`-${name}`));
      if (found === undefined || another !== undefined)
        throw new Error(`The stack has no function ${name}, or several`);
      return found.bundle;
    },
  };
}

const kebabCase = (name: string) => name.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
