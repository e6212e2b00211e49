import { randomBytes } from 'node:crypto';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { LocalCloud } from '../../../local/local-cloud.ts';
import {
  cognitoClient,
  dynamoDbClient,
  eventBridgeClient,
  secretsManagerClient,
} from '../../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../../src/adapters/dynamodb/configuration-store.ts';
import { deliveryRecords } from '../../../src/adapters/dynamodb/delivery-records.ts';
import { members } from '../../../src/adapters/dynamodb/members.ts';
import { cachedRing, signingSecrets } from '../../../src/adapters/secrets/secret-store.ts';
import { ensureUser } from '../../../src/adapters/user-pool.ts';
import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { createAction, requireAction } from '../../../src/domain/actions/manage-actions.ts';
import { createAssistant, setEscalationTopics } from '../../../src/domain/organizations/manage-assistants.ts';
import { addMember } from '../../../src/domain/organizations/manage-members.ts';
import { createOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { setOutboundQuota } from '../../../src/domain/organizations/restrictions.ts';
import { generateServerSecret } from '../../fakes/saves.ts';
import type { ActionSettings, Operator } from './operator.ts';

type Cloud = Pick<LocalCloud, 'gatewayUrl' | 'region' | 'credentials' | 'outputs'>;

/** An operator that calls the use cases of the command line directly, for tests that need many calls. */
export function directOperator(cloud: Cloud): Operator {
  const access = { endpoint: cloud.gatewayUrl, region: cloud.region, credentials: cloud.credentials };
  const dynamo = dynamoDb(dynamoDbClient(access));
  const bus = eventBridgeClient(access);
  const now = () => new Date();
  const output = (name: keyof typeof OUTPUTS) => cloud.outputs[OUTPUTS[name]] ?? '';
  const ring = cachedRing(secretsManagerClient(access), output('sealingKey'), now);
  const secrets = signingSecrets(ring, randomBytes);
  const ports = { store: configurationStore(dynamo, output('configurationTable')), now, randomBytes, ...secrets };
  return {
    createOrganization: async (name, plan) => (await createOrganization({ name, plan }, ports)).org_id,
    createAssistant: async (orgId, settings) => {
      const input = {
        name: 'Acceptance',
        domain: settings.domain,
        hourly_rate_limit: settings.hourlyRateLimit,
        ...(settings.mode === undefined ? {} : { authentication_mode: settings.mode }),
        allowed_domains: settings.allowedDomains ?? [],
      };
      return (await createAssistant(orgId, input, ports)).site_id;
    },
    createAction: async (siteId, settings) => (await createAction(siteId, actionInput(settings), ports)).action_id,
    signingSecret: async (actionId) => secrets.openSigningSecret(await requireAction(actionId, ports)),
    generateServerSecret: async (siteId) =>
      (await generateServerSecret(siteId, { regenerate: false }, ports)).serverSecret,
    escalateTo: async (siteId, topicArn) => {
      await setEscalationTopics(siteId, [topicArn], ports);
    },
    addMember: async (orgId, email, role) => {
      const memberPorts = {
        ...ports,
        members: members(dynamo, output('configurationTable')),
        ensureUser: ensureUser(cognitoClient(access), output('userPool')),
      };
      await addMember(orgId, { email, role }, memberPorts);
    },
    setOutboundQuota: async (orgId, perDay) => {
      await setOutboundQuota(orgId, perDay, { ...ports, step: async () => {} });
    },
    putEvent: async ({ name, orgId, siteId, data }) => {
      const Detail = JSON.stringify({ org_id: orgId, site_id: siteId, data });
      const entry = { EventBusName: output('eventBus'), Source: 'platform', DetailType: name, Detail };
      await bus.send(new PutEventsCommand({ Entries: [entry] }));
    },
    deliveries: async (actionId) => {
      const records: DeliveryRecord[] = [];
      for await (const record of deliveryRecords(dynamo, output('deliveryLogTable'), actionId)) records.push(record);
      return records;
    },
  };
}

function actionInput(settings: ActionSettings): object {
  if (settings.trigger === 'Event') return settings;
  if (settings.trigger === 'AI-decided') {
    const { feedBack, ...rest } = settings;
    return { ...rest, feed_response_back: feedBack };
  }
  const { fields, ...rest } = settings;
  const form_fields = fields.map((field) => {
    const [key, label, type, required] = field.split(':');
    return { key, label, type, required: required === 'required' };
  });
  return { ...rest, form_fields };
}
