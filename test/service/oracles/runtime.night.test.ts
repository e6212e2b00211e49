import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { envelopeOf } from '../../../bench/setting/bench-actions.ts';
import { awsEnvironment, startStorage } from '../../../bench/setting/bench-storage.ts';
import { serviceOf } from '../../../bench/setting/functions.ts';
import { listenOnLoopback } from '../../../local/cloud/listener.ts';
import { synthesize } from '../../../local/cloud/template/assembly.ts';
import { createAssistant } from '../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { createAction, generateServerSecret } from '../../fakes/saves.ts';
import { missingProgram, printSkipped } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { httpEvent, sqsEvent } from '../../unit/lambdas/invocation.ts';
import { installed, testWithCode } from './installed.ts';
import { clientOf, type RuntimeAnswer, startEmulator, startRuntime } from './runtime-api.ts';

const AT_ONCE = 64;
const MINUTES = 60_000;
const RIE = 'github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie';

/** It compiles its HTTP client, with a C++ compiler and CMake. */
const CLIENT = installed('aws-lambda-ric-4.0.2', missingProgram('C++ with CMake'), [
  ['npm', 'init', '--yes'],
  ['npm', 'pkg', 'set', 'allowScripts.aws-lambda-ric=true', '--json'],
  ['npm', 'install', '--no-audit', '--no-fund', 'aws-lambda-ric@4.0.2'],
  ['test', '-f', 'node_modules/aws-lambda-ric/rapid-client.node'],
]);
const EMULATOR = installed('runtime-interface-emulator', missingProgram('Go'), [
  ['env', 'GOBIN=FOLDER/bin', 'GOPATH=FOLDER/go', 'GOFLAGS=-modcacherw', 'go', 'install', `${RIE}@latest`],
]);
if (EMULATOR.missing !== undefined) printSkipped('the emulator of Lambda', EMULATOR.missing);
const testWithClient = testWithCode(CLIENT, 'the client of Lambda');
const client = clientOf(CLIENT.folder);

const folder = temporaryFolder();
// As `cdk deploy` has it, with the one function that is an option.
await synthesize(
  new URL('../../../bin/app.ts', import.meta.url),
  new URL('../../../cdk.json', import.meta.url),
  folder,
  { canary: 'true' },
);
const service = serviceOf(folder);
const storage = await startStorage(folder, service);
const { management } = storage;
const { org_id: orgId } = await createOrganization({ name: 'A customer', plan: 'paid' }, management);
const site = { domain: 'shop.example.com', hourly_rate_limit: 1_000_000 };
const assistant = await createAssistant(orgId, { ...site, name: 'Open' }, management);
const signed = { ...site, name: 'Signed', authentication_mode: 'Session Signed' };
const { site_id: signedSite } = await createAssistant(orgId, signed, management);
const { serverSecret } = await generateServerSecret(signedSite, { regenerate: false }, management);
const action = (trigger: string, settings: object) =>
  createAction(assistant.site_id, { trigger, name: trigger, url: 'https://127.0.0.1/', ...settings }, management);
const { action_id: eventAction } = await action('Event', { events: ['message.sent'] });
await action('Form', { form_fields: [{ key: 'text', label: 'Text', type: 'Text', required: true }] });
await action('AI-decided', { description: 'Looks up an order' });

// It accepts connections and never answers.
const silence = createServer();
const silentOrigin = `http://127.0.0.1:${await listenOnLoopback(silence, 0)}`;

afterAll(async () => {
  silence.close();
  await storage.stop();
});

const shop = { origin: 'https://shop.example.com', 'x-site-id': assistant.site_id };
/** Every visitor has an address of its own, because there are limits for one. */
const visitor = (index: number) => ({ sourceIp: `2001:db8:${index.toString(16)}::1` });
const formPath = { site_id: assistant.site_id, slug: 'form' };
const busEvent = (index: number, name: string) => {
  const { timestamp, data } = envelopeOf('', orgId);
  const detail = { org_id: orgId, site_id: assistant.site_id, data };
  return sqsEvent({ id: `event-${index}`, 'detail-type': name, time: timestamp, detail });
};
const delivery = (index: number, version: number) =>
  sqsEvent({ version, action_id: eventAction, attempt: 1, envelope: envelopeOf(`delivery-${index}`, orgId) });

/** Of each function two events, whose answers differ, each a function of the number of the invocation. */
const EVENTS: Readonly<Record<string, readonly ((index: number) => object)[]>> = {
  'action-test': [() => ({ org_id: orgId, action_id: 'action_none' }), () => ({ org_id: orgId })],
  'ai-action': [
    () => ({ operation: 'listTools', site_id: assistant.site_id }),
    () => ({ operation: 'listTools', site_id: signedSite }),
  ],
  canary: [() => ({}), () => ({})],
  'dashboard-api': [
    () => httpEvent({ method: 'GET', path: '/api/dashboard/me' }),
    () => httpEvent({ method: 'GET', path: '/api/dashboard/none' }),
  ],
  dispatcher: [(index) => delivery(index, 1), (index) => delivery(index, 2)],
  'event-router': [(index) => busEvent(index, 'message.sent'), (index) => busEvent(index, 'of.a.newer.catalog')],
  'form-submit': [
    (index) =>
      httpEvent({ ...visitor(index), headers: shop, pathParameters: formPath, body: { values: { text: 'Hello' } } }),
    (index) => httpEvent({ ...visitor(index), headers: shop, pathParameters: formPath, body: { values: {} } }),
  ],
  'key-rotation': [() => ({ 'detail-type': 'Scheduled Event' }), () => ({ 'detail-type': 'Scheduled Event' })],
  'not-found': [() => httpEvent({ path: '/a' }), () => httpEvent({ path: '/b' })],
  preflight: ['https://shop.example.com', 'https://evil.example'].map(
    (origin) => () =>
      httpEvent({
        ...{ method: 'OPTIONS', path: '/api/widget/init', query: { site: assistant.site_id } },
        headers: { origin, 'access-control-request-method': 'POST' },
      }),
  ),
  'session-create': [serverSecret, 'ss_other'].map(
    (key) => (index: number) =>
      httpEvent({ ...visitor(index), headers: { 'x-server-key': key }, body: { user_id: `user-${index}` } }),
  ),
  'usage-report': ['a', 'b'].map((session_token) => () => ({
    session_token,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  })),
  'widget-init': [assistant.site_id, 'site_none'].map(
    (id) => (index: number) =>
      httpEvent({ ...visitor(index), headers: { ...shop, 'x-site-id': id }, body: { begin_conversation: false } }),
  ),
};

const functions = service.functions.map(({ name, bundle, timeoutSeconds }) => {
  const [lambda, events] = Object.entries(EVENTS).find(([one]) => `-${name}`.endsWith(`-${one}`)) ?? [];
  if (lambda === undefined || events === undefined) throw new Error(`There is no event for ${name}`);
  const event = (index: number) => events[index % events.length]?.(index) ?? {};
  return { lambda, event, program: { client, bundle, timeoutSeconds, variables: storage.environment } };
});

/** What is new in each answer: ids, tokens and numbers of time. */
const comparable = ({ hasFailed, payload }: Omit<RuntimeAnswer, 'msLeft'>): string =>
  `${hasFailed} ${payload.replaceAll(/eyJ[\w.-]+|[\da-f]{8}-[\da-f-]{27}|_[A-Za-z\d]{16,}|\d{4}-\d\d-\d\dT[\d:.]+|\d{5,}|(?<=latency_ms":)\d+/g, '*')}`;

describe.each(functions)('$lambda, in the client of Lambda', ({ event, program }) => {
  testWithClient(
    `answers ${AT_ONCE} invocations at once as one at a time and below Lambda's emulator, and ends with SIGTERM`,
    async () => {
      const onDemand = await startRuntime(program);
      const answers: string[] = [];
      for (const index of [0, 1]) answers.push(comparable(await onDemand.invoke(event(index))));
      const [managed, end] = [await startRuntime({ ...program, atOnce: AT_ONCE }), await onDemand.stop()];
      const many = Array.from({ length: AT_ONCE }, (_, index) => managed.invoke(event(index + 2)));
      const together = await Promise.race([Promise.all(many), managed.initFailure.then((error) => error)]);
      const managedEnd = await managed.stop();
      expect(Array.isArray(together) ? together.map(comparable) : together).toEqual(
        Array.from({ length: AT_ONCE }, (_, index) => answers[index % 2]),
      );
      expect([end.signal, managedEnd.signal]).toEqual(['SIGTERM', 'SIGTERM']);
      if (EMULATOR.missing !== undefined) return;
      const emulator = await startEmulator(join(EMULATOR.folder, 'bin/aws-lambda-rie'), program);
      const emulated = [];
      for (const index of [AT_ONCE + 2, AT_ONCE + 3]) emulated.push(await emulator.invoke(event(index)));
      await emulator.stop();
      expect(emulated.map((payload) => comparable({ hasFailed: false, payload }))).toEqual(answers);
    },
    2 * MINUTES,
  );
});

testWithClient(
  'each function answers before its limit when AWS never does',
  async () => {
    const ends = await Promise.all(
      functions.map(async ({ lambda, event, program }) => {
        const variables = { ...program.variables, ...awsEnvironment(silentOrigin, silentOrigin) };
        const runtime = await startRuntime({ ...program, variables });
        const { hasFailed, msLeft, payload } = await runtime.invoke(event(0));
        await runtime.stop();
        return { lambda, hasFailed, limit: program.timeoutSeconds, msLeft, payload: payload.slice(0, 80) };
      }),
    );
    console.table(ends);
    // SQS delivers a batch again that has not ended, as it does one that fails.
    expect(ends.filter(({ lambda, msLeft }) => msLeft <= 0 && lambda !== 'dispatcher')).toEqual([]);
  },
  2 * MINUTES,
);

describe('it finds', () => {
  const STORE = fileURLToPath(import.meta.resolve('@aws/lambda-invoke-store'));
  const programOf = (source: string) => {
    const bundle = join(temporaryFolder(), 'index.mjs');
    writeFileSync(bundle, source);
    return { client, bundle, timeoutSeconds: 5, variables: {} };
  };

  testWithClient('a function that uses the store of an invocation while it is imported', async () => {
    const runtime = await startRuntime({
      ...programOf(`import { InvokeStore } from '${STORE}';
        (await InvokeStore.getInstanceAsync()).set('key', 1);
        export const handler = async () => 1;`),
      atOnce: AT_ONCE,
    });
    expect(await runtime.initFailure).toContain('No context available');
    await runtime.stop();
  });

  testWithClient('what an invocation keeps in the module', async () => {
    const runtime = await startRuntime({
      ...programOf(`let last;
        export const handler = async (event) => { last = event; await new Promise((resolve) => setTimeout(resolve, 200)); return last; };`),
      atOnce: AT_ONCE,
    });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => runtime.invoke({ index })));
    expect(answers.map(({ payload }) => payload)).not.toEqual(answers.map((_, index) => JSON.stringify({ index })));
    await runtime.stop();
  });

  testWithClient('a function that does not end before its limit', async () => {
    const runtime = await startRuntime({
      ...programOf('export const handler = () => new Promise((resolve) => setTimeout(resolve, 1500));'),
      timeoutSeconds: 1,
    });
    expect((await runtime.invoke({})).msLeft).toBeLessThan(0);
    await runtime.stop();
  });
});
