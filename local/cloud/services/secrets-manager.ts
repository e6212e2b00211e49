import type { SecretStore } from '../engines/secret-store.ts';
import type { AwsService } from '../gateway/aws-request.ts';
import { jsonResponse, jsonService, type Operation, optionalText, textOf } from '../gateway/json-protocol.ts';
import { isList, type JsonObject } from '../json.ts';

/** Secrets Manager: reading and writing the values of the secrets in the template, by their ARNs. */
export function secretsManager(store: SecretStore): AwsService {
  const onSecret = (name: string, answer: (arn: string, parameters: JsonObject) => object): Operation => ({
    checks: (parameters) => [{ action: `secretsmanager:${name}`, resource: textOf(parameters, 'SecretId') }],
    answer: (parameters) => {
      const arn = textOf(parameters, 'SecretId');
      return jsonResponse({ ARN: arn, ...answer(arn, parameters) });
    },
  });
  return jsonService('secretsmanager', {
    GetSecretValue: onSecret('GetSecretValue', (arn, parameters) =>
      store.value(arn, {
        versionId: optionalText(parameters, 'VersionId'),
        stage: optionalText(parameters, 'VersionStage'),
      }),
    ),
    PutSecretValue: onSecret('PutSecretValue', (arn, parameters) => {
      const { VersionStages = ['AWSCURRENT'] } = parameters;
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
