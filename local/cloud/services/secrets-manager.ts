import type { SecretStore } from '../engines/secret-store.ts';
import { type AwsService, jsonRefusal, jsonResponse, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';
import { optionalText, readJsonCall, textOf } from '../gateway/json-protocol.ts';

const OPERATIONS = ['GetSecretValue', 'DescribeSecret', 'PutSecretValue', 'UpdateSecretVersionStage'] as const;

/** Secrets Manager: reading and writing the values of the secrets in the template. */
export function secretsManager(store: SecretStore): AwsService {
  return {
    refuse: jsonRefusal('1.1'),
    understand(request) {
      const { operation: name, parameters } = readJsonCall(request);
      const operation = OPERATIONS.find((known) => known === name);
      if (operation === undefined) throw new UnknownOperation('secretsmanager', name);
      const arn = store.find(textOf(parameters, 'SecretId'));
      if (arn === undefined) {
        throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
      }
      return {
        checks: [{ action: `secretsmanager:${operation}`, resource: arn }],
        async perform() {
          switch (operation) {
            case 'GetSecretValue': {
              const value = store.value(arn, {
                versionId: optionalText(parameters, 'VersionId'),
                stage: optionalText(parameters, 'VersionStage'),
              });
              if (value === undefined) {
                throw new ServiceError(
                  'ResourceNotFoundException',
                  "Secrets Manager can't find the specified secret value.",
                );
              }
              return jsonResponse('1.1', { ARN: arn, Name: store.name(arn), ...value });
            }
            case 'DescribeSecret':
              return jsonResponse('1.1', { ARN: arn, Name: store.name(arn), VersionIdsToStages: store.stages(arn) });
            case 'PutSecretValue': {
              const stages = parameters.VersionStages;
              const version = store.put(arn, {
                secretString: textOf(parameters, 'SecretString'),
                versionId: optionalText(parameters, 'ClientRequestToken'),
                stages: Array.isArray(stages) ? stages.map(String) : ['AWSCURRENT'],
              });
              return jsonResponse('1.1', { ARN: arn, Name: store.name(arn), ...version });
            }
            case 'UpdateSecretVersionStage':
              store.moveStage(arn, {
                stage: textOf(parameters, 'VersionStage'),
                to: optionalText(parameters, 'MoveToVersionId'),
                from: optionalText(parameters, 'RemoveFromVersionId'),
              });
              return jsonResponse('1.1', { ARN: arn, Name: store.name(arn) });
          }
        },
      };
    },
  };
}
