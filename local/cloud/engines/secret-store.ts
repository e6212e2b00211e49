import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';
import { ServiceError } from '../gateway/aws-request.ts';
import { isObject } from '../json.ts';
import { writeFileAtomically } from '../state/atomic-file.ts';
import { readKept } from '../state/kept-json.ts';
import type { SecretDefinition } from '../template/model.ts';

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
  create(definitions: readonly SecretDefinition[]): void {
    const missing = definitions.filter(({ arn }) => !this.#secrets.has(arn));
    for (const { arn, properties } of missing) {
      const secretString = generate(properties.GenerateSecretString);
      this.#secrets.set(arn, { [randomUUID()]: { secretString, stages: [CURRENT], created: Date.now() } });
    }
    if (missing.length > 0) this.#save();
  }

  /** The ARN of the secret with this ARN, partial ARN or name; undefined when there is none. */
  find(id: string): string | undefined {
    return [...this.#secrets.keys()].find((arn) => arn === id || arn.slice(0, -7) === id || this.name(arn) === id);
  }

  /** The name within an ARN: without the six characters that Secrets Manager adds. */
  name(arn: string): string {
    return (arn.split(':').at(-1) ?? '').slice(0, -7);
  }

  /** The current text. @throws CloudError when there is no such secret */
  currentString(arn: string): string {
    const value = this.value(arn, {});
    if (value === undefined) throw new CloudError(`There is no secret ${arn}`);
    return value.SecretString;
  }

  /** A version by id, by stage or, without either, the current one. */
  value(arn: string, which: { readonly versionId?: string | undefined; readonly stage?: string | undefined }) {
    const stage = which.stage ?? (which.versionId === undefined ? CURRENT : undefined);
    const found = Object.entries(this.#versions(arn)).find(
      ([id, { stages }]) =>
        (which.versionId === undefined || id === which.versionId) && (stage === undefined || stages.includes(stage)),
    );
    if (found === undefined) return undefined;
    const [VersionId, { secretString, stages, created }] = found;
    return { SecretString: secretString, VersionId, VersionStages: stages, CreatedDate: created / 1000 };
  }

  stages(arn: string): Record<string, string[]> {
    return Object.fromEntries(Object.entries(this.#versions(arn)).map(([id, { stages }]) => [id, stages]));
  }

  /** Adds a version. A stage leaves the version that had it; the former current one becomes the previous one. */
  put(
    arn: string,
    version: {
      readonly secretString: string;
      readonly versionId: string | undefined;
      readonly stages: readonly string[];
    },
  ): { VersionId: string; VersionStages: string[] } {
    const id = version.versionId ?? randomUUID();
    const existing = this.#versions(arn)[id];
    if (existing !== undefined && existing.secretString !== version.secretString) {
      throw new ServiceError('ResourceExistsException', 'A version with this id and another value exists already.');
    }
    this.#versions(arn)[id] ??= { secretString: version.secretString, stages: [], created: Date.now() };
    for (const stage of version.stages) this.#move(arn, stage, id);
    this.#save();
    return { VersionId: id, VersionStages: [...version.stages] };
  }

  /** Moves a stage to another version, or takes it away. */
  moveStage(arn: string, move: { stage: string; to: string | undefined; from: string | undefined }): void {
    const versions = this.#versions(arn);
    if (move.to !== undefined && versions[move.to] === undefined) {
      throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret version.");
    }
    const holder = Object.entries(versions).find(([, { stages }]) => stages.includes(move.stage))?.[0];
    if (holder !== undefined && holder !== move.to && holder !== move.from) {
      throw new ServiceError(
        'InvalidParameterException',
        `The stage ${move.stage} is attached to the version ${holder}.`,
      );
    }
    this.#move(arn, move.stage, move.to);
    this.#save();
  }

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
    if (versions === undefined) throw new ServiceError('ResourceNotFoundException', `There is no secret ${arn}`);
    return versions;
  }

  #save(): void {
    writeFileAtomically(this.#file, JSON.stringify(Object.fromEntries(this.#secrets), null, 2));
  }
}

function generate(rules: SecretDefinition['properties']['GenerateSecretString']): string {
  const pick = (characters: string): string => characters.charAt(randomInt(characters.length));
  let password: string;
  do {
    password = Array.from({ length: rules.PasswordLength }, () => pick(KINDS.join(''))).join('');
  } while (!KINDS.every((kind) => [...password].some((letter) => kind.includes(letter))));
  const { SecretStringTemplate: template, GenerateStringKey: key } = rules;
  if (template === undefined || key === undefined) return password;
  const base: unknown = JSON.parse(template);
  return JSON.stringify({ ...(isObject(base) ? base : {}), [key]: password });
}

/** Of each kind a generated password holds at least one character. */
const KINDS = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'] as const;
