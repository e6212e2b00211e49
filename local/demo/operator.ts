import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { eventBus } from '../../src/adapters/eventbridge/event-bus.ts';
import { cachedRing } from '../../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import type { Action } from '../../src/contract/actions.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import type { ManageActionsPorts } from '../../src/domain/actions/manage-actions.ts';
import type { PublishEvent } from '../../src/domain/events/publish.ts';
import { CloudError } from '../cloud-error.ts';
import type { DemoCloud } from '../demo-cloud.ts';

/** What an operator of the deployment can do, and what the platform around it does. */
export type Operator = {
  readonly management: ManageActionsPorts;
  readonly signingSecretOf: (action: Action) => Promise<string>;
  readonly publish: PublishEvent;
  readonly stop: () => void;
};

/** @throws CloudError when the stack lacks an output */
export function operatorOf(cloud: DemoCloud): Operator {
  const output = (name: string) => {
    const value = cloud.outputs[name];
    if (value === undefined) throw new CloudError(`The stack has no output ${name}`);
    return value;
  };
  const { gatewayUrl: endpoint, region, credentials } = cloud;
  const config = { endpoint, region, credentials };
  const dynamo = new DynamoDBClient(config);
  const secrets = new SecretsManagerClient(config);
  const events = new EventBridgeClient(config);
  const now = () => new Date();
  const signing = signingSecrets(cachedRing(secrets, output(OUTPUTS.sealingKey), now), randomBytes);
  const documents = DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
  return {
    management: {
      store: configurationStore(documents, output(OUTPUTS.configurationTable)),
      sealSigningSecret: signing.sealSigningSecret,
      now,
      randomBytes,
    },
    signingSecretOf: signing.openSigningSecret,
    publish: eventBus(events, output(OUTPUTS.eventBus)),
    stop: () => {
      for (const client of [dynamo, secrets, events]) client.destroy();
    },
  };
}
