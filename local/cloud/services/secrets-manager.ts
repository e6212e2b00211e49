import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { readKept, writeKept } from '../data-folder.ts';
import { AwsError, type AwsOperation, type AwsService, jsonResponse, jsonService } from '../gateway.ts';
import { isList, isObject, type JsonRecord, optionalText, textOf } from '../json.ts';
import type { Resource } from '../template/stack.ts';

type Secret = Resource<'AWS::SecretsManager::Secret'>;

const secret = z.strictObject({
  /** By id. */
  versions: z.record(z.string(), z.strictObject({ secretString: z.string(), created: z.number() })),
  /** The id of the version of each stage. */
  stages: z.record(z.string(), z.string()),
});
type StoredSecret = z.infer<typeof secret>;

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

export type SecretStore = ReturnType<typeof keptSecrets>;

/** The secrets of the template with their versions. @throws CloudError when the file is there but cannot be read */
export function keptSecrets(file: string) {
  const all = new Map(Object.entries(readKept(file, z.record(z.string(), secret)) ?? {}));
  const save = () => writeKept(file, Object.fromEntries(all));
  const secretOf = (arn: string): StoredSecret => {
    const storedSecret = all.get(arn);
    if (storedSecret === undefined) throw notFound('secret');
    return storedSecret;
  };
  return {
    /** Generates the first value of each new secret, as CloudFormation does. Existing secrets keep their values. */
    create(secrets: readonly Secret[]): void {
      for (const { ref, properties } of secrets) {
        if (all.has(ref)) continue;
        const id = randomUUID();
        const first = { secretString: generate(properties.GenerateSecretString), created: Date.now() };
        all.set(ref, { versions: { [id]: first }, stages: { [CURRENT]: id } });
        save();
      }
    },

    /** A version by id, by stage or, without either, the current one. @throws ServiceError when there is none */
    value(arn: string, versionId?: string, stage?: string) {
      const { versions, stages } = secretOf(arn);
      const VersionId = versionId ?? stages[stage ?? CURRENT] ?? '';
      const VersionStages = Object.keys(stages).filter((name) => stages[name] === VersionId);
      const version = versions[VersionId];
      if (version === undefined || (stage !== undefined && !VersionStages.includes(stage))) throw notFound('value');
      return { SecretString: version.secretString, VersionId, VersionStages, CreatedDate: version.created / 1000 };
    },

    /** Adds a version, and moves these stages to it. @throws AwsError when the version is there with another value */
    put(arn: string, secretString: string, stages: readonly string[], versionId: string = randomUUID()) {
      const storedSecret = secretOf(arn);
      storedSecret.versions[versionId] ??= { secretString, created: Date.now() };
      if (storedSecret.versions[versionId].secretString !== secretString) {
        throw new AwsError('ResourceExistsException', 'A version with this id and another value exists already.');
      }
      for (const stage of stages) move(storedSecret, stage, versionId);
      save();
      return { VersionId: versionId, VersionStages: stages };
    },

    /** @param from the version that has the stage now @throws AwsError when another version has it, or there is no version `to` */
    moveStage(arn: string, stage: string, to: string, from: string | undefined): void {
      const storedSecret = secretOf(arn);
      if (storedSecret.versions[to] === undefined) throw notFound('version');
      const holder = storedSecret.stages[stage];
      if (holder !== undefined && holder !== to && holder !== from) {
        throw new AwsError('InvalidParameterException', `The stage ${stage} is attached to the version ${holder}.`);
      }
      move(storedSecret, stage, to);
      save();
    },
  };
}

const notFound = (what: string): AwsError =>
  new AwsError('ResourceNotFoundException', `Secrets Manager can't find the specified secret ${what}.`);

/** Moves a stage to a version. The version that was the current one becomes the previous one. */
function move({ versions, stages }: StoredSecret, stage: string, to: string): void {
  const holder = stages[stage];
  if (holder === to) return;
  stages[stage] = to;
  if (stage === CURRENT && holder !== undefined) stages[PREVIOUS] = holder;
  // A version without a stage is deprecated: Secrets Manager forgets it.
  const stagesInUse = Object.values(stages);
  for (const id of Object.keys(versions)) if (!stagesInUse.includes(id)) delete versions[id];
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
  const onSecret =
    (answer: (arn: string, parameters: JsonRecord) => object): AwsOperation =>
    ({ operation, parameters, demand }) => {
      const arn = textOf(parameters, 'SecretId');
      demand(`secretsmanager:${operation}`, arn);
      return jsonResponse({ ARN: arn, ...answer(arn, parameters) });
    };
  return jsonService('secretsmanager', {
    GetSecretValue: onSecret((arn, parameters) =>
      store.value(arn, optionalText(parameters, 'VersionId'), optionalText(parameters, 'VersionStage')),
    ),
    PutSecretValue: onSecret((arn, parameters) => {
      const { VersionStages = [CURRENT] } = parameters;
      const stages = isList(VersionStages) ? VersionStages.map(String) : [];
      return store.put(arn, textOf(parameters, 'SecretString'), stages, optionalText(parameters, 'ClientRequestToken'));
    }),
    UpdateSecretVersionStage: onSecret((arn, parameters) => {
      const to = textOf(parameters, 'MoveToVersionId');
      store.moveStage(arn, textOf(parameters, 'VersionStage'), to, optionalText(parameters, 'RemoveFromVersionId'));
      return {};
    }),
  });
}
