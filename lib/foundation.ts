import type { Alarms } from './alarms.ts';
import type { Keys } from './keys.ts';
import type { Messaging } from './messaging.ts';
import type { Outbound, ServiceFunctionProps } from './service-function.ts';
import type { Stage } from './stage.ts';
import type { Tables } from './tables.ts';

/** What every feature is built on: where it keeps things, what it signs with, and who watches it. */
export type Foundation = {
  readonly stage: Stage;
  readonly tables: Tables;
  readonly keys: Keys;
  readonly messaging: Messaging;
  readonly alarms: Alarms;
  /** For functions that make outbound requests. */
  readonly outbound: Outbound;
  /** For those of them in which a visitor, an assistant or an admin waits for the endpoint. */
  readonly waiting: Outbound & Pick<ServiceFunctionProps, 'reservedConcurrency'>;
};
