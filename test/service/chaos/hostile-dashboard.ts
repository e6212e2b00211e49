import { json as jsonOf } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import fc from 'fast-check';
import { jwtAuthorizer } from '../../../local/cloud/http/jwt-authorizer.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATIONS,
  DASHBOARD_SCOPE,
  type DashboardOperation,
} from '../../../src/contract/dashboard-operations.ts';
import type { Role } from '../../../src/contract/organizations.ts';
import { createAssistant } from '../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { createAction } from '../../fakes/saves.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { httpEvent, lambdaContext, logged } from '../../unit/lambdas/invocation.ts';
import { type Issuer, startIssuer } from '../../unit/local/cloud/issuer.ts';
import { type Chaos, type HttpFunction, startChaos } from './chaos-system.ts';
import { ROUTES, type Route } from './described-routes.ts';
import { expectHarmless, type Outcome } from './harmless.ts';
import { anyBody, text } from './hostile-values.ts';
import { bodyFor, type Examples } from './spoiled-bodies.ts';

const ID_NAMES = ['org_id', 'site_id', 'action_id'] as const;
type Ids = Record<(typeof ID_NAMES)[number], string>;

type Organization = {
  /** The ids that the organization's members use in their requests. */
  readonly target: Ids;
  /** The ids that only members of the other organization use. Their requests must not change these items. */
  readonly kept: Ids;
  /** A text that is in the organization's stored items and in no request. */
  readonly mark: string;
  /** The stored form of a signing secret. */
  readonly sealed: string;
};

/** A login that sends requests. Role `none` sends forged tokens or no token. */
type Login = {
  readonly sub: string;
  readonly role: Role | 'none';
  readonly home: Organization;
  readonly away: Organization;
};

type Shot = {
  readonly login: Login;
  readonly authorization: string | undefined;
  readonly ids: Ids;
  readonly request: Parameters<typeof httpEvent>[0];
};

/**
 * Sends `runs` generated requests to each route of the dashboard: as admins of two organizations, as a member, and with forged tokens.
 * No answer may be a fault, contain a stack trace, take too long, log a secret, succeed without the role, or disclose another
 * organization's data.
 */
export function describeHostileDashboard(runs: number, patienceMs: number): void {
  let check: ReturnType<typeof jwtAuthorizer>;
  let chaos: Chaos;
  let issuer: Issuer;
  let actionTest: TestServer;
  let dashboard: HttpFunction;
  let organizations: readonly Organization[];
  let logins: readonly Login[];
  const tokens = new Map<string, string>();
  /** The version in the last answer. A change with this version passes the version check. */
  let version = 1;

  beforeAll(async () => {
    chaos = await startChaos();
    issuer = await startIssuer();
    check = jwtAuthorizer({ issuer: issuer.origin, audience: ['dashboard'], scopes: [DASHBOARD_SCOPE] });
    actionTest = await startActionTest(chaos);
    const first = await createMarked(chaos, 'Kept by the first organization');
    const second = await createMarked(chaos, 'Kept by the second organization');
    organizations = [first, second];
    logins = [
      { sub: 'anna', role: 'admin', home: first, away: second },
      { sub: 'max', role: 'member', home: first, away: second },
      { sub: 'olga', role: 'admin', home: second, away: first },
      { sub: 'forged', role: 'none', home: first, away: second },
    ];
    for (const { sub, role, home } of logins) {
      if (role === 'none') continue;
      await chaos.join(home.target.org_id, sub, role);
      tokens.set(sub, await issuer.sign({ sub }));
    }
    dashboard = await chaos.container<HttpFunction>('dashboard-api');
  });
  afterAll(async () => {
    issuer.stop();
    actionTest.stop();
    await chaos.stop();
  });

  const examples: Examples = {
    version: fc.constant(0).map(() => version),
    idempotency_key: fc.oneof(fc.constant('shared'), fc.uuid()),
    name: fc.oneof(fc.uuid(), text),
    domain: fc.constant('shop.example.com'),
    url: fc.constantFrom('https://localhost:1/hook', 'https://10.0.0.1/', 'https://a.example:0/'),
    entries: fc.array(fc.oneof(fc.domain(), text), { maxLength: 3 }),
    allowed_domains: fc.array(fc.domain(), { maxLength: 3 }),
    ip_allowlist: fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 3 }),
    hourly_rate_limit: fc.integer({ min: 1, max: 1000 }),
    description: fc.oneof(fc.string({ minLength: 10, maxLength: 60 }), text),
    label: fc.oneof(fc.string(), text),
    pattern: fc.oneof(fc.constant('a+'), text),
  };
  const forged = fc.oneof(
    fc.constant(undefined),
    text,
    text.map((token) => `Bearer ${token}`),
    fc.constant(0).map(() => `Bearer ${tokens.get('anna')?.slice(0, -9)}AAAAAAAAA`),
  );
  const id = (name: keyof Ids, { home, away }: Login) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(home.target[name]) },
      { weight: 2, arbitrary: fc.constant(away.kept[name]) },
      { weight: 1, arbitrary: text },
    );
  const bodyOf = ({ body }: Route) =>
    body === undefined
      ? fc.option(anyBody, { nil: undefined, freq: 3 })
      : fc.oneof({ weight: 4, arbitrary: bodyFor(body, examples) }, { weight: 1, arbitrary: anyBody });

  const shots = (route: Route): fc.Arbitrary<Shot> =>
    fc
      .constantFrom(...logins)
      .chain((login) =>
        fc.record({
          login: fc.constant(login),
          authorization: login.role === 'none' ? forged : fc.constant(`Bearer ${tokens.get(login.sub)}`),
          ids: fc.record({
            org_id: id('org_id', login),
            site_id: id('site_id', login),
            action_id: id('action_id', login),
          }),
          encoded: fc.boolean(),
          headers: fc.dictionary(fc.constantFrom('content-type', 'origin', 'x-site-id'), text, { maxKeys: 2 }),
          query: fc.dictionary(fc.constantFrom('site', ...route.queryNames), fc.oneof(text, versions)),
          body: bodyOf(route),
          base64: fc.boolean(),
        }),
      )
      .map(({ login, authorization, ids, encoded, body, ...rest }) => {
        const path = route.path.replace(/\{(\w+)\}/g, (_, name: keyof Ids) =>
          encoded ? encodeURIComponent(ids[name].toWellFormed()) : ids[name],
        );
        const request = { method: route.method, path, ...rest, ...(body === undefined ? {} : { body }) };
        return { login, authorization, ids, request };
      });
  const versions = fc.constant(0).map(() => String(version));

  /** Checks the token as API Gateway does, and then invokes the function. */
  async function send({ authorization, request }: Shot): Promise<Outcome> {
    const verdict = await check(authorization);
    if ('refusal' in verdict) return { status: verdict.refusal.status, body: String(verdict.refusal.body), log: '' };
    const event = httpEvent(request);
    event.headers.authorization = authorization;
    Object.assign(event.requestContext, { authorizer: verdict.authorizer });
    const { result, log } = await logged(() => dashboard(event, lambdaContext()));
    return { status: result.statusCode ?? 500, body: result.body ?? '', log };
  }

  const storedOf = ({ kept }: Organization) =>
    Promise.all([
      chaos.management.store.findAssistant(kept.site_id),
      chaos.management.store.findActionById(kept.action_id),
    ]);

  const routes = ROUTES.filter(({ path }) => path.startsWith(DASHBOARD_API_PATH));
  test('the document describes every operation of the dashboard', () => {
    expect(routes.map(({ operation }) => operation).sort()).toEqual(Object.keys(DASHBOARD_OPERATIONS).sort());
  });

  test.each(routes.map((route) => [route.operation, route] as const))(
    '%s answers generated requests without a fault or a leak',
    async (operation, route) => {
      const before = await Promise.all(organizations.map(storedOf));
      await fc.assert(
        fc.asyncProperty(shots(route), async (shot) => {
          const outcome = await send(shot);
          const { status, body } = outcome;
          const answer = JSON.parse(body);
          const { login } = shot;
          expectHarmless(outcome, [...tokens.values(), ...(answer.server_secret ? [answer.server_secret] : [])]);
          if (login.role === 'none') expect(status).toBe(401);
          else if (status >= 400) expect(answer).toMatchObject({ success: false, error: expect.any(String) });
          if (!mayReach(shot, route)) expect(status).toBeGreaterThanOrEqual(400);
          expect(body).not.toContain(login.away.mark);
          for (const { sealed } of organizations) expect(body).not.toContain(sealed);

          version = answer.version ?? answer.current?.version ?? answer.assistant?.version ?? version;
          if (operation === 'deleteAction' && status === 200) {
            login.home.target.action_id = (await createTarget(chaos, login.home.target.site_id)).action_id;
          }
        }),
        { numRuns: runs, interruptAfterTimeLimit: patienceMs - 2000, markInterruptAsFailure: true },
      );
      expect(await Promise.all(organizations.map(storedOf))).toEqual(before);
    },
    patienceMs,
  );
}

/** Returns true when the login has the role for the route and the request names only its own organization's ids. */
function mayReach({ login, ids }: Shot, { operation, path }: Route): boolean {
  const { role } = DASHBOARD_OPERATIONS[operation as DashboardOperation];
  if (login.role === 'none' || (role === 'admin' && login.role !== 'admin')) return false;
  return ID_NAMES.every((name) => !path.includes(`{${name}}`) || ids[name] === login.home.target[name]);
}

async function createMarked(chaos: Chaos, mark: string): Promise<Organization> {
  const { management } = chaos;
  const { org_id } = await createOrganization({ name: mark, plan: 'paid' }, management);
  const site = { name: mark, domain: 'shop.example.com', hourly_rate_limit: 100 };
  const [target, kept] = [
    await createAssistant(org_id, site, management),
    await createAssistant(org_id, site, management),
  ];
  const action = await createAction(
    kept.site_id,
    { trigger: 'Event', name: mark, url: 'https://shop.example.com/', events: ['message.sent'] },
    management,
  );
  return {
    target: { org_id, site_id: target.site_id, action_id: (await createTarget(chaos, target.site_id)).action_id },
    kept: { org_id, site_id: kept.site_id, action_id: action.action_id },
    mark,
    sealed: action.sealed_signing_secret,
  };
}

/** Creates an Action whose endpoint answers, for the Test button. */
const createTarget = (chaos: Chaos, siteId: string) =>
  createAction(
    siteId,
    { trigger: 'Event', name: 'Target', url: chaos.receiver.url('/target'), events: ['message.sent'] },
    chaos.management,
  );

/** Starts an endpoint for Lambda's Invoke that runs `action-test` in this process, for the Test button. */
async function startActionTest(chaos: Chaos): Promise<TestServer> {
  type Invoked = (event: unknown, context: Context) => Promise<object>;
  const actionTest = await chaos.container<Invoked>('action-test');
  const server = await startServer(async (request, response) => {
    response.end(JSON.stringify(await actionTest(await jsonOf(request), lambdaContext())));
  });
  process.env.AWS_ENDPOINT_URL_LAMBDA = server.origin;
  return server;
}
