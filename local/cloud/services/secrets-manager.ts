import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { readKept, writeKept } from '../data-folder.ts';
import { type AwsService, jsonResponse, jsonService, optionalText, ServiceError, textOf } from '../gateway.ts';
import { isList, isObject, type JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';

type Secret = Resource<'AWS::SecretsManager::Secret'>;

const stored = z.record(
  z.string(),
  z.record(z.string(), z.strictObject({ secretString: z.string(), stages: z.array(z.string()), created: z.number() })),
);
type Versions = z.infer<typeof stored>[string];

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

export type SecretStore = ReturnType<typeof keptSecrets>;

/**
 * The secrets of the template with their versions, in one file that only its owner may read.
 * @throws CloudError when the file is there but cannot be read
 */
export function keptSecrets(file: string) {
  const all = new Map(Object.entries(readKept(file, stored) ?? {}));
  const save = () => writeKept(file, Object.fromEntries(all));
  const versionsOf = (arn: string): Versions => {
    const versions = all.get(arn);
    if (versions === undefined) throw notFound('secret');
    return versions;
  };
  return {
    /** Generates the first value of each new secret, as CloudFormation does. Existing secrets keep their values. */
    create(secrets: readonly Secret[]): void {
      for (const { ref, properties } of secrets) {
        if (all.has(ref)) continue;
        const secretString = generate(properties.GenerateSecretString);
        all.set(ref, { [randomUUID()]: { secretString, stages: [CURRENT], created: Date.now() } });
        save();
      }
    },

    /** A version by id, by stage or, without either, the current one. @throws ServiceError when there is none */
    value(arn: string, versionId?: string, stage = versionId === undefined ? CURRENT : undefined) {
      const found = Object.entries(versionsOf(arn)).find(
        ([id, { stages }]) =>
          (versionId === undefined || id === versionId) && (stage === undefined || stages.includes(stage)),
      );
      if (found === undefined) throw notFound('value');
      const [VersionId, { secretString, stages, created }] = found;
      return { SecretString: secretString, VersionId, VersionStages: stages, CreatedDate: created / 1000 };
    },

    /**
     * Adds a version, and moves these stages to it. A version that is there already stays as it is.
     * @throws ServiceError when the version is there with another value
     */
    put(arn: string, secretString: string, stages: readonly string[], versionId: string = randomUUID()) {
      const versions = versionsOf(arn);
      const existing = versions[versionId];
      if (existing !== undefined && existing.secretString !== secretString) {
        throw new ServiceError('ResourceExistsException', 'A version with this id and another value exists already.');
      }
      versions[versionId] ??= { secretString, stages: [], created: Date.now() };
      for (const stage of stages) move(versions, stage, versionId);
      save();
      return { VersionId: versionId, VersionStages: stages };
    },

    /** Moves a stage to another version, or takes it away. @throws ServiceError when the stage is at a version that is not named */
    moveStage(arn: string, stage: string, to: string | undefined, from: string | undefined): void {
      const versions = versionsOf(arn);
      if (to !== undefined && versions[to] === undefined) throw notFound('version');
      const holder = holderOf(versions, stage);
      if (holder !== undefined && holder !== to && holder !== from) {
        throw new ServiceError('InvalidParameterException', `The stage ${stage} is attached to the version ${holder}.`);
      }
      move(versions, stage, to);
      save();
    },
  };
}

const notFound = (what: string): ServiceError =>
  new ServiceError('ResourceNotFoundException', `Secrets Manager can't find the specified secret ${what}.`);

const holderOf = (versions: Versions, stage: string): string | undefined =>
  Object.entries(versions).find(([, { stages }]) => stages.includes(stage))?.[0];

/** The version that was the current one becomes the previous one. */
function move(versions: Versions, stage: string, to: string | undefined): void {
  const holder = holderOf(versions, stage);
  if (holder === to) return;
  for (const version of Object.values(versions)) version.stages = version.stages.filter((other) => other !== stage);
  if (to !== undefined) versions[to]?.stages.push(stage);
  if (stage === CURRENT && holder !== undefined) move(versions, PREVIOUS, holder);
  // A version without a stage is deprecated: Secrets Manager forgets it.
  for (const [id, { stages }] of Object.entries(versions)) if (stages.length === 0) delete versions[id];
}

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function generate(rules: Secret['properties']['GenerateSecretString']): string {
  const { PasswordLength: length, SecretStringTemplate: template, GenerateStringKey: key } = rules;
  const password = Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
  if (template === undefined || key === undefined) return password;
  const base: unknown = JSON.parse(template);
  return JSON.stringify({ ...(isObject(base) ? base : {}), [key]: password });
}

/** Secrets Manager: reading and writing the values of the secrets in the template, by their ARNs. */
export function secretsManager(store: SecretStore): AwsService {
  const onSecret = (name: string, answer: (arn: string, parameters: JsonObject) => object) => ({
    checks: (parameters: JsonObject) => [
      { action: `secretsmanager:${name}`, resource: textOf(parameters, 'SecretId') },
    ],
    answer: (parameters: JsonObject) => {
      const arn = textOf(parameters, 'SecretId');
      return jsonResponse({ ARN: arn, ...answer(arn, parameters) });
    },
  });
  return jsonService('secretsmanager', {
    GetSecretValue: onSecret('GetSecretValue', (arn, parameters) =>
      store.value(arn, optionalText(parameters, 'VersionId'), optionalText(parameters, 'VersionStage')),
    ),
    PutSecretValue: onSecret('PutSecretValue', (arn, parameters) => {
      const { VersionStages = [CURRENT] } = parameters;
      const stages = isList(VersionStages) ? VersionStages.map(String) : [];
      return store.put(arn, textOf(parameters, 'SecretString'), stages, optionalText(parameters, 'ClientRequestToken'));
    }),
    UpdateSecretVersionStage: onSecret('UpdateSecretVersionStage', (arn, parameters) => {
      const [to, from] = ['MoveToVersionId', 'RemoveFromVersionId'].map((name) => optionalText(parameters, name));
      store.moveStage(arn, textOf(parameters, 'VersionStage'), to, from);
      return {};
    }),
  });
}
