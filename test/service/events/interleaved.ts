import { until } from '../../harness/until.ts';
import { system } from './system.ts';

/**
 * Tests that invocations of one environment do not touch each other: none ends, answers, logs or counts for another one. The functions
 * are the deployed bundles, and each has many invocations in one environment.
 */

const PAGE = 'https://a.example';

type Site = { readonly orgId: string; readonly siteId: string };
type Line = Readonly<Record<string, unknown>>;

const twoSites = async (): Promise<readonly [Site, Site]> => [await system.organization(), await system.organization()];

/** The lines of one function that name this value. */
const linesWith = (value: string): readonly Line[] =>
  system
    .logs()
    .split('\n')
    .filter((line) => line.includes(value))
    .map((line) => JSON.parse(line));

/** Checks that every line that names one of the values has a request id of its own invocation. */
function expectOwnRequestIds(...values: readonly string[]): void {
  const ids = values.map((value) => new Set(linesWith(value).map((line) => line.function_request_id)));
  for (const [index, own] of ids.entries()) {
    expect([values[index], own.size]).not.toEqual([values[index], 0]);
    for (const [other, others] of ids.entries()) {
      if (other !== index) expect([...own].filter((id) => others.has(id))).toEqual([]);
    }
  }
}

const init = (siteId: string, origin: string) =>
  fetch(`${system.service.apiUrl}/api/widget/init`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-site-id': siteId, origin },
    body: '{}',
  });

test('event-router and dispatcher: each batch logs and counts its own attempts, and none ends those of another one', async () => {
  const sites = await twoSites();
  const path = `/${sites[0].siteId}/events`;
  const held = Promise.withResolvers<string>();
  system.receiver.answer(path, [200], () => (system.receiver.to(path).length === 1 ? held.promise : '{}'));
  const actions = [
    await system.eventAction(sites[0].siteId, path, ['message.sent']),
    await system.eventAction(sites[1].siteId, path, ['message.sent']),
  ];
  const [first, second] = sites;
  await system.operator.putEvent({ name: 'message.sent', ...first, data: {} });
  await until(() => system.receiver.to(path).length === 1);
  const counted = () => linesWith('"attempt":"1","Attempts"').length;
  const before = counted();
  await system.operator.putEvent({ name: 'message.sent', ...second, data: {} });
  await system.finished(actions[1] ?? '', 1);
  await until(() => counted() === before + 1);
  held.resolve('{}');
  const [record] = await system.finished(actions[0] ?? '', 1);
  expect(record).toMatchObject({ success: true, sends: 1, attempt: 1 });
  await until(() => counted() === before + 2);
  // The router logs only what reaches no Action.
  for (const site of sites) {
    await system.operator.putEvent({ name: 'sms.sent', ...site, data: {} });
    await until(() => linesWith(site.orgId).length > 0);
  }
  expectOwnRequestIds(first.orgId, second.orgId);
});

test('widget-init, preflight and the default route: each answer and each line belong to their own request', async () => {
  const sites = [...(await twoSites()), ...(await twoSites())];
  const answers = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const { siteId = '' } = sites[index % 4] ?? {};
      const refused = index % 4 > 1;
      const [answer, preflight, unknown] = await Promise.all([
        init(siteId, refused ? `https://${siteId}.example` : PAGE),
        fetch(`${system.service.apiUrl}/api/widget/init?site=${siteId}`, {
          method: 'OPTIONS',
          headers: { origin: refused ? 'https://b.example' : PAGE, 'access-control-request-method': 'POST' },
        }),
        fetch(`${system.service.apiUrl}/api/${siteId}`),
      ]);
      const body = (await answer.json()) as { site_id?: string };
      expect(preflight.headers.get('access-control-allow-origin')).toBe(refused ? null : PAGE);
      expect(unknown.status).toBe(404);
      return [answer.status, body.site_id, refused ? undefined : siteId];
    }),
  );
  for (const [status, site, expected] of answers) {
    expect([status, site]).toEqual([expected === undefined ? 401 : 200, expected]);
  }
  const refused = sites.slice(2).map(({ siteId }) => siteId);
  // An answer does not wait until its lines are written.
  await until(() => refused.every((siteId) => linesWith(siteId).length > 0));
  expectOwnRequestIds(...refused);
});
