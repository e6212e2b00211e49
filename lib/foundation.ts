import type { Alarms } from './alarms.ts';
import type { KeyRings } from './key-rings.ts';
import type { Messaging } from './messaging.ts';
import type { ServiceFunctionProps } from './service-function.ts';
import type { Stage } from './stage.ts';
import type { Tables } from './tables.ts';

/** The resources that all features share. */
export type Foundation = {
  readonly stage: Stage;
  readonly tables: Tables;
  readonly keys: KeyRings;
  readonly messaging: Messaging;
  readonly alarms: Alarms;
  /** Properties of functions that make outbound requests. */
  readonly outbound: Pick<ServiceFunctionProps, 'network'>;
  /** Properties of those functions whose caller waits for the endpoint: form-submit, ai-action, usage-report and action-test. */
  readonly waiting: Pick<ServiceFunctionProps, 'network' | 'timeout' | 'reservedConcurrency'>;
};
