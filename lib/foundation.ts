import type { Alarms } from './alarms.ts';
import type { KeyRings } from './key-rings.ts';
import type { Messaging } from './messaging.ts';
import type { Placement, ServiceFunctionProps } from './service-function.ts';
import type { Stage } from './stage.ts';
import type { ServiceTables } from './tables.ts';

/** The resources that all features share. */
export type Foundation = {
  readonly stage: Stage;
  readonly tables: ServiceTables;
  readonly keys: KeyRings;
  readonly messaging: Messaging;
  readonly alarms: Alarms;
  /** The network of the functions that make outbound requests. @default none: requests come from AWS's own addresses */
  readonly network: Placement | undefined;
  /**
   * Network, timeout and reserved concurrency of the functions that wait for a customer's endpoint while their caller waits for them: form-submit,
   * ai-action, usage-report and action-test. The dispatcher, for which nobody waits, has its own.
   */
  readonly forEndpointCalls: Placement & Pick<ServiceFunctionProps, 'timeout' | 'reservedConcurrentExecutions'>;
};
