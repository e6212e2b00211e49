import type { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import type { KeyRings, SecretName } from './key-rings.ts';
import type { Messaging } from './messaging.ts';
import { type Placement, ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import type { Stage } from './stage.ts';
import { type ServiceTables, TABLE_NAMES, type TableCall, type TableName } from './tables.ts';

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

type FeatureFunctionProps = Omit<ServiceFunctionProps, 'stage'> & {
  readonly tableCalls: { readonly [table in TableName]?: readonly TableCall[] };
  readonly secrets?: readonly SecretName[];
};

/** Creates a function with access to tables and secrets of the foundation, and with nothing else. */
export function featureFunction(
  scope: Construct,
  id: string,
  { stage, tables, keys }: Foundation,
  { tableCalls, secrets = [], ...settings }: FeatureFunctionProps,
): ServiceFunction {
  const fn = new ServiceFunction(scope, id, { stage, ...settings });
  for (const table of TABLE_NAMES) tables[table].allow(fn, tableCalls[table] ?? []);
  for (const secret of secrets) keys.allowRead(fn, secret);
  return fn;
}
