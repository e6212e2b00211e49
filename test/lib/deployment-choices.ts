import type { DeploymentOptions } from '../../lib/deployment-options.ts';

/** Everything that an operator can choose besides the stage. */
export const ALL_OPTIONS = {
  deliveryLogRetentionDays: 90,
  deliveryConcurrency: 1000,
  alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  domain: {
    name: 'chat.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
  },
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/chat/11111111-2222-3333-4444-555555555555',
  fixedEgress: true,
  originSecretVersion: '11111111-2222-3333-4444-555555555555',
  sealingKeyReplicaRegion: 'eu-central-1',
} satisfies DeploymentOptions;
