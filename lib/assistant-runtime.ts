import { Construct } from 'constructs';
import { type Foundation, featureFunction } from './foundation.ts';
import type { ServiceFunction } from './service-function.ts';

/** The functions that the platform's assistant runtime invokes with IAM permissions. They list and call tools, and report usage. */
export class RuntimeFunctions extends Construct {
  readonly aiAction: ServiceFunction;
  readonly usageReport: ServiceFunction;

  constructor(scope: Construct, id: string, props: Foundation) {
    super(scope, id);
    this.aiAction = featureFunction(this, 'AiAction', props, {
      folder: 'ai-action',
      description: 'Lists and calls AI-decided Actions for the assistant runtime',
      ...props.forEndpointCalls,
      tableCalls: {
        configuration: ['GetItem', 'Query'],
        counters: ['UpdateItem'],
        conversations: ['UpdateItem', 'PutItem'],
        deliveryLog: ['PartiQLInsert', 'PartiQLUpdate'],
      },
      secrets: ['sealingKey'],
    });
    this.usageReport = featureFunction(this, 'UsageReport', props, {
      folder: 'usage-report',
      description: 'Reports the usage of a conversation turn to the usage webhook of its session',
      ...props.forEndpointCalls,
      tableCalls: {
        configuration: ['GetItem'],
        counters: ['UpdateItem'],
        deliveryLog: ['PartiQLInsert', 'PartiQLUpdate'],
      },
      secrets: ['tokenKeys'],
    });
    props.alarms.watch(this, [this.aiAction, this.usageReport]);
  }
}
