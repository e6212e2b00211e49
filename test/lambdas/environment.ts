import { ENVIRONMENT } from '../../src/contract/environment.ts';

/** What the stack would set; import this before a handler. Nothing is ever reached by it: the SDK clients are mocked. */
export const TEST_ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  POWERTOOLS_LOG_LEVEL: 'INFO',
  [ENVIRONMENT.configurationTable]: 'configuration',
  [ENVIRONMENT.countersTable]: 'counters',
  [ENVIRONMENT.conversationsTable]: 'conversations',
  [ENVIRONMENT.deliveryLogTable]: 'delivery-log',
  [ENVIRONMENT.deliveryLogRetentionDays]: '30',
  [ENVIRONMENT.eventBus]: 'bus',
  [ENVIRONMENT.deliveriesQueue]: 'https://sqs.eu-central-1.amazonaws.com/123456789012/deliveries',
  [ENVIRONMENT.tokenKeys]: 'token-keys',
  [ENVIRONMENT.sealingKey]: 'sealing-key',
  [ENVIRONMENT.originSecret]: 'origin-secret',
};
Object.assign(process.env, TEST_ENVIRONMENT);
