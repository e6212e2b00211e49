import { ENVIRONMENT } from '../../../src/deployment/environment.ts';
import { FakeAwsServices, listen } from '../../fakes/aws-services.ts';

/** The fake AWS services that the handlers use. */
export const aws = new FakeAwsServices();
const { origin } = await listen(aws);

/** The value of the dimension `service` of every metric. */
export const STACK_NAME = 'Stack';

/** Sets the environment variables of the stack. Import this file before a handler. */
Object.assign(process.env, {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL: origin,
  // As an app may set them on all its functions. The log, its secrets and the metrics stay those of the service.
  POWERTOOLS_SERVICE_NAME: 'Payments',
  POWERTOOLS_METRICS_NAMESPACE: 'Payments',
  POWERTOOLS_LOG_LEVEL: 'CRITICAL',
  LOG_LEVEL: 'CRITICAL',
  POWERTOOLS_LOGGER_LOG_EVENT: 'true',
  POWERTOOLS_LOGGER_SAMPLE_RATE: '1',
  POWERTOOLS_DEV: 'true',
  POWERTOOLS_METRICS_DISABLED: 'true',
  BASE_URL: 'https://payments.example.com',
  EVENT_BUS: 'payments',
  [ENVIRONMENT.configurationTable]: 'configuration',
  [ENVIRONMENT.countersTable]: 'counters',
  [ENVIRONMENT.conversationsTable]: 'conversations',
  [ENVIRONMENT.deliveryLogTable]: 'delivery-log',
  [ENVIRONMENT.deliveryLogRetentionDays]: '30',
  [ENVIRONMENT.eventBus]: 'bus',
  [ENVIRONMENT.eventsQueue]: 'https://sqs.eu-central-1.amazonaws.com/123456789012/events',
  [ENVIRONMENT.deliveriesQueue]: 'https://sqs.eu-central-1.amazonaws.com/123456789012/deliveries',
  [ENVIRONMENT.tokenKeys]: 'token-keys',
  [ENVIRONMENT.sealingKey]: 'sealing-key',
  [ENVIRONMENT.originSecret]: 'origin-secret',
  [ENVIRONMENT.metricsService]: STACK_NAME,
  [ENVIRONMENT.distributionOnly]: 'false',
});
