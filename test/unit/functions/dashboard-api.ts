import { Logger } from '@aws-lambda-powertools/logger';
import type { TestResult } from '../../../src/contract/dashboard.ts';
import type { Role } from '../../../src/contract/organizations.ts';
import type { Fact } from '../../../src/domain/facts.ts';
import { dashboardHandler, dashboardWork } from '../../../src/functions/dashboard-api.ts';
import { type Invoke, invocations } from '../../../src/functions/invocation.ts';
import { ORG_ID } from '../../fakes/configuration.ts';
import { memoryConfiguration } from '../../fakes/configuration-store.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';
import { MemoryTables } from '../../fakes/tables.ts';
import { httpEvent, lambdaContext } from '../lambdas/invocation.ts';
import '../lambdas/environment.ts';

export const OTHER_ORG_ID = 'org_bbbbbbbbbbbbbbbbbbbb';

/** Creates the dashboard's API on an in-memory configuration. It is called with events of API Gateway. */
export async function dashboardApi() {
  const clock = new FrozenClock();
  const tables = new MemoryTables();
  const store = memoryConfiguration(tables);
  const tested: string[] = [];
  for (const [org_id, plan] of [
    [ORG_ID, 'paid'],
    [OTHER_ORG_ID, 'free'],
  ] as const) {
    await store.createOrganization({ org_id, name: `Name of ${org_id}`, plan, created_at: '2026-01-01T00:00:00.000Z' });
  }
  const join = (sub: string, org_id: string, role: Role) =>
    store.members.save({ org_id, sub, email: `${sub}@shop.example`, role, created_at: '2026-01-01T00:00:00.000Z' });
  await join('anna', ORG_ID, 'admin');
  await join('max', ORG_ID, 'member');
  await join('olga', OTHER_ORG_ID, 'admin');

  const work = dashboardWork({
    store: memoryConfiguration(tables, clock.now),
    members: store.members,
    requestCounts: async () => ({ this_hour: 7, last_24_hours: 40 }),
    testAction: async (_, actionId, change): Promise<TestResult> => {
      tested.push(change === undefined ? actionId : `${actionId} ${JSON.stringify(change)}`);
      return {
        request: { method: 'POST', url: 'https://crm.example/', headers: {}, body: '{}' },
        at: '2026-03-04T05:06:07.250Z',
        retried: false,
        status: 200,
        latency_ms: 12,
        success: true,
        error: null,
        response_excerpt: 'ok',
      };
    },
    sealSigningSecret: async (secret, actionId) => `sealed ${secret.length} for ${actionId}`,
    now: clock.now,
    randomBytes: countingBytes(),
  });
  const logger = new Logger({ serviceName: 'dashboard-api', logLevel: 'SILENT', sampleRateValue: 0 });
  const facts: Fact[] = [];
  const own = invocations(logger);
  const invoke: Invoke = (time, work) =>
    own(time, ({ reportFact, ...invocation }) => {
      const noted = (fact: Fact) => {
        facts.push(fact);
        reportFact(fact);
      };
      return work({ ...invocation, reportFact: noted });
    });
  const handler = dashboardHandler({ logger, invoke }, work, store.members);

  /** @param sub of the access token; undefined for an event that no authorizer saw */
  const call = async (sub: string | undefined, method: string, path: string, body?: object) => {
    const [rawPath = '', query = ''] = `/api/dashboard${path}`.split('?');
    const event = httpEvent({
      method,
      path: rawPath,
      query: Object.fromEntries(new URLSearchParams(query)),
      ...(body === undefined ? {} : { body }),
    });
    const authorizer = { jwt: { claims: { sub }, scopes: ['va-wave-dashboard/use'] } };
    const requestContext = { ...event.requestContext, ...(sub === undefined ? {} : { authorizer }) };
    const reply = await handler({ ...event, requestContext }, lambdaContext());
    return {
      status: reply.statusCode ?? 0,
      headers: reply.headers ?? {},
      body: JSON.parse(reply.body ?? '{}'),
      text: reply.body ?? '',
    };
  };
  return { call, store, join, tested, clock, facts };
}
