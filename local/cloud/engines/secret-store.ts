import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
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

/** The secrets of the template with their versions, in one file that only its owner may read. */
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

  /** A version by id, by stage or, without either, the current one. @throws ServiceError when there is none */
  value(arn: string, which: { readonly versionId?: string | undefined; readonly stage?: string | undefined }) {
    const stage = which.stage ?? (which.versionId === undefined ? CURRENT : undefined);
    const found = Object.entries(this.#versions(arn)).find(
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
   * Adds a version, and moves these stages to it. A version that is there already stays as it is.
   * @throws ServiceError when the version is there with another value
   */
  put(arn: string, secretString: string, stages: readonly string[], versionId: string = randomUUID()) {
    const versions = this.#versions(arn);
    const existing = versions[versionId];
    if (existing !== undefined && existing.secretString !== secretString) {
      throw new ServiceError('ResourceExistsException', 'A version with this id and another value exists already.');
    }
    versions[versionId] ??= { secretString, stages: [], created: Date.now() };
    for (const stage of stages) this.#move(arn, stage, versionId);
    this.#save();
    return { VersionId: versionId, VersionStages: stages };
  }

  /** Moves a stage to another version, or takes it away. @throws ServiceError when the stage is at a version that is not named */
  moveStage(arn: string, stage: string, to: string | undefined, from: string | undefined): void {
    const versions = this.#versions(arn);
    if (to !== undefined && versions[to] === undefined) {
      throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret version.");
    }
    const [holder] = Object.entries(versions).find(([, { stages }]) => stages.includes(stage)) ?? [];
    if (holder !== undefined && holder !== to && holder !== from) {
      throw new ServiceError('InvalidParameterException', `The stage ${stage} is attached to the version ${holder}.`);
    }
    this.#move(arn, stage, to);
    this.#save();
  }

  /** The version that was the current one becomes the previous one. */
  #move(arn: string, stage: string, to: string | undefined): void {
    const versions = this.#versions(arn);
    const [holder] = Object.entries(versions).find(([, { stages }]) => stages.includes(stage)) ?? [];
    if (holder === to) return;
    for (const version of Object.values(versions)) version.stages = version.stages.filter((other) => other !== stage);
    if (to !== undefined) versions[to]?.stages.push(stage);
    if (stage === CURRENT && holder !== undefined) this.#move(arn, PREVIOUS, holder);
    // A version without a stage is deprecated: Secrets Manager forgets it.
    for (const [id, { stages }] of Object.entries(versions)) if (stages.length === 0) delete versions[id];
  }

  #versions(arn: string): Versions {
    const versions = this.#secrets.get(arn);
    if (versions !== undefined) return versions;
    throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
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
