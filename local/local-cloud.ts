import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudError, messageOf } from './cloud/cloud-error.ts';
import { type Cloud, type CloudOptions, type Composition, startCloud } from './cloud/start-cloud.ts';
import { writeFileAtomically } from './cloud/state/atomic-file.ts';
import { keepServiceAssembled } from './service-assembly.ts';

export type LocalCloudOptions = Omit<CloudOptions, 'name' | 'compose' | 'logCopy'> & {
  /** Run the bundles of bin/app.ts unchanged: no endpoint on loopback, no further authorities. @default false */
  readonly strict?: boolean;
  /** PEM files of certificate authorities that outbound requests trust besides the public ones. Not with `strict`. */
  readonly authorities?: readonly string[];
  /**
   * Folder of a cloud assembly to run, made by `assembleService` or `synthesize`.
   * @default what VA_WAVE_LOCAL_ASSEMBLY names, unless `strict`; else the service, synthesized now unless its sources are those of the last time
   */
  readonly assembly?: string;
};

export type LocalCloud = Cloud;

/** The environment variable from which local/network-rule.ts reads the path of the trusted authorities. */
const CA_FILE_VARIABLE = 'VA_WAVE_LOCAL_CA_FILE';

/**
 * Starts va-wave on this machine.
 * @throws CloudError with one message for the user when it cannot start; no process is left running then
 */
export function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const { strict = false, authorities = [], assembly: named, ...cloud } = options;
  // The assembly that the tests make once for all their services. It has the local network rule.
  const assembly = named ?? (strict ? undefined : process.env.VA_WAVE_LOCAL_ASSEMBLY);
  return startCloud({
    ...cloud,
    name: 'va-wave',
    logCopy: process.env.VA_WAVE_LOCAL_LOG_COPY,
    compose: async (folder): Promise<Composition> => {
      const environment = trustAuthorities(authorities, strict, folder);
      // Several services may run this assembly. Only the first of them compiles its bundles.
      if (assembly !== undefined) return { assembly, environment, compiledCode: join(assembly, 'compiled-code') };
      cloud.doing?.('Synthesizing the stack, and bundling functions, widget and dashboard');
      const outdir = join(folder, 'assembly');
      await keepServiceAssembled(outdir, { strict });
      return { assembly: outdir, environment };
    },
  });
}

/** Puts the certificates of several PEM files into one, for the functions. */
function trustAuthorities(files: readonly string[], strict: boolean, folder: string): Record<string, string> {
  if (files.length === 0) return {};
  if (strict) throw new CloudError('--ca has no effect with --strict: the strict rule trusts public authorities only');
  const into = join(folder, 'trusted-authorities.pem');
  writeFileAtomically(into, files.map(pemOf).join(''));
  return { [CA_FILE_VARIABLE]: into };
}

function pemOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    new X509Certificate(text);
    return `${text.trim()}\n`;
  } catch (error) {
    throw new CloudError(`${file} is not a PEM file with a certificate (${messageOf(error)})`);
  }
}
