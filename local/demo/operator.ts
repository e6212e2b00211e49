import { randomBytes } from 'node:crypto';
import { dynamoDbClient, eventBridgeClient, secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { eventBus } from '../../src/adapters/event-bus.ts';
import { cachedRing } from '../../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import type { Action } from '../../src/contract/actions.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import type { ManageActionsPorts } from '../../src/domain/actions/manage-actions.ts';
import type { PublishEvent } from '../../src/domain/events/publish.ts';
import { type DemoCloud, outputOf } from '../demo-cloud.ts';

/** What an operator of the deployment can do, and what the platform around it does. */
export type Operator = {
  readonly management: ManageActionsPorts;
  readonly signingSecretOf: (action: Action) => Promise<string>;
  readonly publish: PublishEvent;
};

/** @throws CloudError when the stack lacks an output */
export function operatorOf(cloud: DemoCloud): Operator {
  const { gatewayUrl: endpoint, region, credentials } = cloud;
  const access = { endpoint, region, credentials };
  const now = () => new Date();
  const signing = signingSecrets(
    cachedRing(secretsManagerClient(access), outputOf(cloud, OUTPUTS.sealingKey), now),
    randomBytes,
  );
  return {
    management: {
      store: configurationStore(dynamoDb(dynamoDbClient(access)), outputOf(cloud, OUTPUTS.configurationTable)),
      sealSigningSecret: signing.sealSigningSecret,
      now,
      randomBytes,
    },
    signingSecretOf: signing.openSigningSecret,
    publish: eventBus(eventBridgeClient(access), outputOf(cloud, OUTPUTS.eventBus)),
  };
}
