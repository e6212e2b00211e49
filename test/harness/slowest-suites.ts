/**
 * The suites that take longest, the longest first: the browsers, then what other suites wait for or need nothing of, then the suites that
 * start a service.
 */
export const SLOWEST_SUITES: readonly string[] = [
  'test/e2e/dashboard/dashboard.test.ts',
  'test/e2e/widget/widget.test.ts',
  'test/lib/stack.test.ts',
  'test/lib/synth.test.ts',
  'test/e2e/actions/functions.test.ts',
  'test/e2e/widget/service.test.ts',
  'test/e2e/acceptance/main-job.test.ts',
  'test/e2e/events/bus.test.ts',
  'test/e2e/events/neighbours.test.ts',
  'test/e2e/events/interleaved.test.ts',
  'test/e2e/operations/operations.test.ts',
  'test/e2e/local/start.test.ts',
  'test/e2e/docs/one-machine.test.ts',
  'test/docs/notices.test.ts',
  'test/schedules/schedules.test.ts',
  'test/e2e/cli/local-cloud.test.ts',
  'test/e2e/costs/counts.test.ts',
  'test/e2e/local/cloud/restart.test.ts',
  'test/e2e/local/cloud/cloud.test.ts',
  'test/e2e/examples/receivers.test.ts',
  'test/e2e/chaos/service-faults.test.ts',
  'test/e2e/adapters/dynamodb/in-flight-leases.test.ts',
  'test/adapters/outbound/reuse.test.ts',
  'test/adapters/outbound/crowd.test.ts',
  'test/adapters/aws-clients.test.ts',
  'test/e2e/upgrades/data-folder.test.ts',
  'test/harness/logs/reporter.test.ts',
];
