/**
 * The suites that take longest, the longest first. The first three make what other suites wait for, or need nothing of it: the assembly
 * of the service, the templates of lib, and a synthesis as an operator runs it.
 */
export const SLOWEST_SUITES: readonly string[] = [
  'test/e2e/dashboard/dashboard.test.ts',
  'test/lib/stack.test.ts',
  'test/lib/synth.test.ts',
  'test/e2e/widget/widget.test.ts',
  'test/e2e/actions/functions.test.ts',
  'test/e2e/acceptance/main-job.test.ts',
  'test/e2e/widget/service.test.ts',
  'test/e2e/events/bus.test.ts',
  'test/e2e/chaos/service-faults.test.ts',
  'test/e2e/operations/operations.test.ts',
  'test/e2e/local/start.test.ts',
  'test/e2e/local/cloud/sweep.test.ts',
  'test/e2e/adapters/dynamodb/in-flight-leases.test.ts',
  'test/e2e/local/cloud/cloud.test.ts',
  'test/adapters/outbound/reuse.test.ts',
  'test/e2e/examples/receivers.test.ts',
  'test/e2e/docs/one-machine.test.ts',
  'test/e2e/chaos/hostile-dashboard.test.ts',
  'test/adapters/outbound/crowd.test.ts',
  'test/adapters/aws-clients.test.ts',
  'test/e2e/events/crash-points.test.ts',
  'test/e2e/chaos/hostile-inputs.test.ts',
  'test/e2e/upgrades/data-folder.test.ts',
  'test/adapters/outbound/response.test.ts',
  'test/harness/logs/reporter.test.ts',
];
