import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ReceiverCertificate, receiverCertificate } from './certificates.ts';
import { CloudError, messageOf } from './cloud/cloud-error.ts';
import { writeFileAtomically } from './cloud/data-folder.ts';
import { type Cloud, type CloudOptions, startCloud } from './cloud/start-cloud.ts';
import { keepServiceAssembled } from './service-assembly.ts';

export type LocalCloudOptions = Omit<CloudOptions, 'name' | 'compose' | 'logCopy'> & {
  /** Runs the bundles as they are deployed: no endpoint on loopback, public authorities only. @default false */
  readonly strict?: boolean;
  /** PEM files of certificate authorities that outbound requests trust besides the public ones. Not with `strict`. */
  readonly authorities?: readonly string[];
  /**
   * Folder of a cloud assembly to run, made by `assembleService` or `synthesize`.
   * @default what VA_WAVE_LOCAL_ASSEMBLY names, unless `strict`; else the service, synthesized now unless its sources are those of the last time
   */
  readonly assembly?: string;
};

export type LocalCloud = Cloud & {
  /** A certificate that outbound requests trust, for receivers on this machine. Not with `strict`. */
  readonly certificate: ReceiverCertificate | undefined;
};

/** The environment variable from which local/network-rule.ts reads the path of the trusted authorities. */
const CA_FILE_VARIABLE = 'VA_WAVE_LOCAL_CA_FILE';

/** Starts va-wave on this machine. @throws CloudError with one message for the user; no process is left running then */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const { strict = false, authorities = [], assembly: givenAssembly, ...cloudOptions } = options;
  if (strict && authorities.length > 0) {
    throw new CloudError('--ca has no effect with --strict: the strict rule trusts public authorities only');
  }
  // Tests name an assembly that they make once for all their services. It has the local network rule, so it is never a strict one.
  const assembly = givenAssembly ?? (strict ? undefined : process.env.VA_WAVE_LOCAL_ASSEMBLY);
  let certificate: ReceiverCertificate | undefined;
  const cloud = await startCloud({
    ...cloudOptions,
    name: 'va-wave',
    logCopy: process.env.VA_WAVE_LOCAL_LOG_COPY,
    compose: async (folder) => {
      const authoritiesFile = join(folder, 'trusted-authorities.pem');
      if (!strict) {
        certificate = receiverCertificate(join(folder, 'receiver'));
        writeFileAtomically(authoritiesFile, [...authorities, certificate.certificateFile].map(pemOf).join(''));
      }
      const environment: Record<string, string> = strict ? {} : { [CA_FILE_VARIABLE]: authoritiesFile };
      // Several services may run this assembly. Only the first of them compiles its bundles.
      if (assembly !== undefined) return { assembly, environment, compiledCode: join(assembly, 'compiled-code') };
      cloudOptions.onStep?.('Synthesizing the stack, and bundling functions, widget and dashboard');
      const compiledCode = join(folder, 'compiled-code');
      return { assembly: await keepServiceAssembled(folder, { strict }), environment, compiledCode };
    },
  });
  return { ...cloud, certificate };
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
