import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { httpEvent, lambdaContext, logged } from '../lambdas/invocation.ts';
import { type Chaos, type HttpFunction, startChaos } from './world.ts';

type Request = Parameters<typeof httpEvent>[0];

/** Names of fields and parameters in the OpenAPI document: what a stranger would try first. */
const FIELD_NAMES = fieldNames();

/** Text as attackers send it, besides fast-check's own. */
const NASTY = fc.constantFrom(
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '\u0000',
  '\ud800',
  '%n%s%x',
  '<script>',
  "' OR 1=1 --",
  'null',
  'NaN',
  '1e999',
  'a'.repeat(9000),
  '🙂'.repeat(300),
  '[::1]',
  '#',
  'https://a.example:99999',
);
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 300 }), NASTY);
const key = fc.oneof(fc.constantFrom(...FIELD_NAMES), text);
const json = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.double(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(again('value'), { maxLength: 6 }),
    fc.dictionary(key, again('value'), { maxKeys: 8 }),
  ),
})).value;
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.constantFrom(...FIELD_NAMES), json, { maxKeys: 8 })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 3, arbitrary: json.map((value) => JSON.stringify(value) ?? '') },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 20_000 }).map((depth) => '['.repeat(depth)) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 100, max: 20_000 })
      .map((depth) => `{"context":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`),
  },
);
const headerNames = [
  'x-server-key',
  'x-site-id',
  'x-session-token',
  'origin',
  'referer',
  'content-type',
  'cloudfront-viewer-address',
];

/** So many generated requests to each public route: never a fault, a stack trace, a hang, or a line of the log with a secret. */
export function describeHostileInputs(runs: number, patienceMs: number): void {
  let chaos: Chaos;
  let secrets: readonly string[];
  beforeAll(async () => {
    chaos = await startChaos();
    const form = { trigger: 'Form', name: 'Contact', url: chaos.receiver.url('/form') };
    const form_fields = ['Text', 'Email', 'Phone', 'Number', 'Long text'].map((type) => ({
      key: type.slice(0, 4),
      label: type,
      type,
      required: false,
    }));
    await chaos.createAction({ ...form, form_fields });
    secrets = [chaos.serverSecret];
  }, 60_000);
  afterAll(() => chaos.stop());

  /** Valid credentials now and then, so that generated bodies get past the door. */
  const headers = () =>
    fc.oneof(
      fc.constantFrom<Record<string, string>>(
        { 'x-server-key': chaos.serverSecret },
        { 'x-site-id': chaos.siteId, origin: 'https://shop.example.com' },
      ),
      fc.dictionary(
        fc.constantFrom(...headerNames),
        fc.oneof(
          text,
          fc.constantFrom(
            chaos.siteId,
            chaos.serverSecret,
            chaos.serverSecret.slice(0, -1),
            'https://shop.example.com',
          ),
        ),
        { maxKeys: 5 },
      ),
    );
  const requests = (): fc.Arbitrary<Request> =>
    fc.record({
      headers: headers(),
      body,
      base64: fc.boolean(),
      query: fc.dictionary(fc.constantFrom('site', 'a'), text, { maxKeys: 2 }),
      pathParameters: fc.record({
        site_id: fc.oneof(fc.constant(chaos.siteId), text),
        slug: fc.oneof(fc.constant('contact'), text),
      }),
      method: fc.constantFrom('POST', 'OPTIONS', 'GET', 'PUT'),
      // Of many visitors, so that the limits per address do not answer for the routes.
      sourceIp: fc.ipV4(),
    });

  test.each(['session-create', 'widget-init', 'form-submit', 'preflight', 'not-found'])(
    '%s takes whatever comes',
    async (name) => {
      const handler = await chaos.container<HttpFunction>(name);
      await fc.assert(
        fc.asyncProperty(requests(), async (request) => {
          const startedAt = performance.now();
          const { result, log } = await logged(() => handler(httpEvent(request), lambdaContext()));
          expect(performance.now() - startedAt).toBeLessThan(5500);
          // 502: nobody took the form submission, which is an answer and not a fault.
          expect([result.statusCode, result.statusCode === 502 || (result.statusCode ?? 500) < 500]).toEqual([
            result.statusCode,
            true,
          ]);
          expect(result.body ?? '').not.toMatch(/\bat .+:\d+:\d+|node:internal/);
          if (result.body !== undefined) expect(JSON.parse(result.body)).toHaveProperty('success');
          for (const secret of secrets) expect(log).not.toContain(secret);
          expect(log).not.toMatch(/"level":"ERROR"/);
        }),
        { numRuns: runs, interruptAfterTimeLimit: patienceMs - 2000, markInterruptAsFailure: true },
      );
    },
    patienceMs,
  );
}

function fieldNames(): readonly string[] {
  const document = readFileSync(fileURLToPath(new URL('../../docs/openapi.json', import.meta.url)), 'utf8');
  const names = new Set<string>();
  JSON.parse(document, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('properties' in value)) return value;
    for (const name of Object.keys(Object(value.properties))) names.add(name);
    return value;
  });
  return [...names];
}
