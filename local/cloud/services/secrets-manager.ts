import type { SecretStore } from '../engines/secret-store.ts';
import type { AwsService } from '../gateway/aws-request.ts';
import { jsonResponse, jsonService, type Operation, optionalText, textOf } from '../gateway/json-protocol.ts';
import type { JsonObject } from '../json.ts';

/** Secrets Manager: reading and writing the values of the secrets in the template. */
export function secretsManager(store: SecretStore): AwsService {
  const onSecret = (name: string, answer: (arn: string, parameters: JsonObject) => object): Operation => ({
    checks: (parameters) => [
      { action: `secretsmanager:${name}`, resource: store.find(textOf(parameters, 'SecretId')) },
    ],
    answer: (parameters) => {
      const arn = store.find(textOf(parameters, 'SecretId'));
      return jsonResponse({ ARN: arn, Name: store.name(arn), ...answer(arn, parameters) });
    },
  });
  return jsonService('secretsmanager', {
    GetSecretValue: onSecret('GetSecretValue', (arn, parameters) =>
      store.value(arn, {
        versionId: optionalText(parameters, 'VersionId'),
        stage: optionalText(parameters, 'VersionStage'),
      }),
    ),
    PutSecretValue: onSecret('PutSecretValue', (arn, parameters) =>
      store.put(arn, textOf(parameters, 'SecretString'), optionalText(parameters, 'ClientRequestToken')),
    ),
  });
}
