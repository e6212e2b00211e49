import { Construct } from 'constructs';
import type { Foundation } from './foundation.ts';
import { ServiceFunction } from './service-function.ts';

/** The functions that the platform's assistant runtime invokes with IAM permissions. They list and call tools, and report usage. */
export class RuntimeFunctions extends Construct {
  readonly aiAction: ServiceFunction;
  readonly usageReport: ServiceFunction;

  constructor(scope: Construct, id: string, props: Foundation) {
    super(scope, id);
    this.aiAction = this.#aiAction(props);
    this.usageReport = this.#usageReport(props);
    props.alarms.watch(this, [this.aiAction, this.usageReport]);
  }

  #aiAction({ stage, tables, keys, forEndpointCalls }: Foundation): ServiceFunction {
    const aiAction = new ServiceFunction(this, 'AiAction', {
      stage,
      folder: 'ai-action',
      description: 'Lists and calls AI-decided Actions for the assistant runtime',
      ...forEndpointCalls,
    });
    tables.configuration.allow(aiAction, 'GetItem', 'Query');
    tables.counters.allow(aiAction, 'UpdateItem');
    tables.conversations.allow(aiAction, 'UpdateItem', 'PutItem');
    tables.deliveryLog.allow(aiAction, 'PartiQLInsert', 'PartiQLUpdate');
    keys.allowRead(aiAction, 'sealingKey');
    return aiAction;
  }

  #usageReport({ stage, tables, keys, forEndpointCalls }: Foundation): ServiceFunction {
    const usageReport = new ServiceFunction(this, 'UsageReport', {
      stage,
      folder: 'usage-report',
      description: 'Reports the usage of a conversation turn to the usage webhook of its session',
      ...forEndpointCalls,
    });
    tables.configuration.allow(usageReport, 'GetItem');
    tables.counters.allow(usageReport, 'UpdateItem');
    tables.deliveryLog.allow(usageReport, 'PartiQLInsert', 'PartiQLUpdate');
    keys.allowRead(usageReport, 'tokenKeys');
    return usageReport;
  }
}
