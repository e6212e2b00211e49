import fc from 'fast-check';
import { call, httpEvent, lambdaContext, logged } from '../../unit/lambdas/invocation.ts';
import { type Chaos, type HttpFunction, startChaos } from './chaos-system.ts';
import { ROUTES } from './described-routes.ts';
import { expectHarmless } from './harmless.ts';
import { anyBody, text } from './hostile-values.ts';
import { bodyFor, type Examples } from './spoiled-bodies.ts';

type Request = Parameters<typeof httpEvent>[0];

const OPERATIONS: Readonly<Record<string, string>> = {
  'session-create': 'createSession',
  'widget-init': 'initWidget',
  'form-submit': 'submitForm',
};

const headerNames = [
  'x-server-key',
  'x-site-id',
  'x-session-token',
  'origin',
  'referer',
  'content-type',
  'cloudfront-viewer-address',
];

/** Sends `runs` generated requests to each public route. No answer may be a fault, contain a stack trace, take too long or log a secret. */
export function describeHostileInputs(runs: number, patienceMs: number): void {
  let chaos: Chaos;
  let secrets: readonly string[];
  let examples: Examples;
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
    const init = await chaos.container<HttpFunction>('widget-init');
    const headers = { 'x-site-id': chaos.siteId, origin: 'https://shop.example.com' };
    const { body } = await call(init, { headers, body: {} });
    examples = {
      conversation_id: fc.constant(Object(body).conversation_id),
      values: fc.dictionary(fc.constantFrom(...form_fields.map(({ key }) => key)), text),
    };
  });
  afterAll(() => chaos.stop());

  /** Sometimes valid credentials, so that the functions also read the generated bodies. */
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
  const requests = (name: string): fc.Arbitrary<Request> => {
    const schema = ROUTES.find(({ operation }) => operation === OPERATIONS[name])?.body;
    return fc.record({
      headers: headers(),
      body: schema === undefined ? anyBody : fc.oneof(anyBody, bodyFor(schema, examples)),
      base64: fc.boolean(),
      query: fc.dictionary(fc.constantFrom('site', 'a'), text, { maxKeys: 2 }),
      pathParameters: fc.record({
        site_id: fc.oneof(fc.constant(chaos.siteId), text),
        slug: fc.oneof(fc.constant('contact'), text),
      }),
      method: fc.constantFrom('POST', 'OPTIONS', 'GET', 'PUT'),
      // Many visitors send the requests, so that the limits per address refuse few of them.
      sourceIp: fc.ipV4(),
    });
  };

  test.each([...Object.keys(OPERATIONS), 'preflight', 'not-found'])(
    '%s answers generated requests without a fault or a leak',
    async (name) => {
      const handler = await chaos.container<HttpFunction>(name);
      await fc.assert(
        fc.asyncProperty(requests(name), async (request) => {
          const { result, log } = await logged(() => handler(httpEvent(request), lambdaContext()));
          expectHarmless({ status: result.statusCode ?? 500, body: result.body ?? '', log }, secrets);
          if (result.body !== undefined) expect(JSON.parse(result.body)).toHaveProperty('success');
        }),
        { numRuns: runs, interruptAfterTimeLimit: patienceMs - 2000, markInterruptAsFailure: true },
      );
    },
    patienceMs,
  );
}
