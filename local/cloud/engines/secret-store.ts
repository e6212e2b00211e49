import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';
import { ServiceError } from '../gateway/aws-request.ts';
import { isObject } from '../json.ts';
import { writeFileAtomically } from '../state/atomic-file.ts';
import { readKept } from '../state/kept-json.ts';
import type { Resource } from '../template/stack.ts';

type Secret = Resource<'AWS::SecretsManager::Secret'>;

const stored = z.record(
  z.string(),
  z.record(z.string(), z.strictObject({ secretString: z.string(), stages: z.array(z.string()), created: z.number() })),
);
type Versions = z.infer<typeof stored>[string];

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

/** The secrets of the template with their current and previous versions, in one file that only its owner may read. */
export class SecretStore {
  readonly #file: string;
  readonly #secrets: Map<string, Versions>;

  /** @throws CloudError when the file is there but cannot be read */
  constructor(file: string) {
    this.#file = file;
    this.#secrets = new Map(Object.entries(readKept(file, stored) ?? {}));
  }

  /** Generates the first value of each new secret, as CloudFormation does. Existing secrets keep their values. */
  create(secrets: readonly Secret[]): void {
    const missing = secrets.filter(({ ref }) => !this.#secrets.has(ref));
    for (const { ref, properties } of missing) {
      const secretString = generate(properties.GenerateSecretString);
      this.#secrets.set(ref, { [randomUUID()]: { secretString, stages: [CURRENT], created: Date.now() } });
    }
    if (missing.length > 0) this.#save();
  }

  /** The ARN of the secret with this ARN, partial ARN or name. @throws ServiceError when there is none */
  find(id: string): string {
    const found = [...this.#secrets.keys()].find(
      (arn) => arn === id || arn.slice(0, -7) === id || this.name(arn) === id,
    );
    if (found !== undefined) return found;
    throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  }

  /** The name within an ARN: without the six characters that Secrets Manager adds. */
  name(arn: string): string {
    return (arn.split(':').at(-1) ?? '').slice(0, -7);
  }

  /** The current text. @throws CloudError when there is no such secret */
  currentString(arn: string): string {
    if (!this.#secrets.has(arn)) throw new CloudError(`There is no secret ${arn}`);
    return this.value(arn, {}).SecretString;
  }

  /** A version by id, by stage or, without either, the current one. @throws ServiceError when there is none */
  value(arn: string, which: { readonly versionId?: string | undefined; readonly stage?: string | undefined }) {
    const stage = which.stage ?? (which.versionId === undefined ? CURRENT : undefined);
    const found = Object.entries(this.#secrets.get(arn) ?? {}).find(
      ([id, { stages }]) =>
        (which.versionId === undefined || id === which.versionId) && (stage === undefined || stages.includes(stage)),
    );
    if (found === undefined) {
      throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret value.");
    }
    const [VersionId, { secretString, stages, created }] = found;
    return { SecretString: secretString, VersionId, VersionStages: stages, CreatedDate: created / 1000 };
  }

  /**
   * Makes a new version the current one, the former current one the previous one, and forgets the others. A version that is there already
   * stays as it is.
   * @throws ServiceError when the version is there with another value
   */
  put(arn: string, secretString: string, versionId: string = randomUUID()) {
    const versions = this.#secrets.get(arn) ?? {};
    const existing = versions[versionId];
    if (existing === undefined) {
      const former = Object.entries(versions).filter(([, { stages }]) => stages.includes(CURRENT));
      this.#secrets.set(arn, {
        ...Object.fromEntries(former.map(([id, version]) => [id, { ...version, stages: [PREVIOUS] }])),
        [versionId]: { secretString, stages: [CURRENT], created: Date.now() },
      });
      this.#save();
    } else if (existing.secretString !== secretString) {
      throw new ServiceError('ResourceExistsException', 'A version with this id and another value exists already.');
    }
    return { VersionId: versionId, VersionStages: existing?.stages ?? [CURRENT] };
  }

  #save(): void {
    writeFileAtomically(this.#file, JSON.stringify(Object.fromEntries(this.#secrets), null, 2));
  }
}

function generate(rules: Secret['properties']['GenerateSecretString']): string {
  const all = KINDS.join('');
  let password: string;
  do {
    password = Array.from({ length: rules.PasswordLength }, () => all.charAt(randomInt(all.length))).join('');
  } while (!KINDS.every((kind) => [...password].some((letter) => kind.includes(letter))));
  const { SecretStringTemplate: template, GenerateStringKey: key } = rules;
  if (template === undefined || key === undefined) return password;
  const base: unknown = JSON.parse(template);
  return JSON.stringify({ ...(isObject(base) ? base : {}), [key]: password });
}

/** Of each kind a generated password holds at least one character. */
const KINDS = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'] as const;
