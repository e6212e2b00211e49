import { createServer } from 'node:http';
import { ENVIRONMENT } from '../../../src/deployment/environment.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import { newServerSecret } from '../../../src/domain/auth/server-secret.ts';
import { SITE_ID } from '../../fakes/configuration.ts';
import { INIT, SESSION } from '../../fakes/public-answers.ts';
import { originOf } from '../../harness/server.ts';
import { aws, STACK_NAME } from './environment.ts';
import { lambdaContext, lineOf, logged } from './invocation.ts';

const KEY = newServerSecret(SITE_ID, (length) => new Uint8Array(length));

/** The part of the service at its public address that the canary uses. */
let redirects = false;
const requests: { readonly path: string | undefined; readonly key: unknown; readonly token: unknown }[] = [];
const service = createServer((request, response) => {
  const { url: path, headers } = request;
  requests.push({ path, key: headers['x-server-key'], token: headers['x-session-token'] });
  request.resume().on('end', () => {
    if (redirects) return response.writeHead(302, { location: '/elsewhere' }).end();
    if (path === '/static/va-wave-widget.js') return response.end('(()=>{"va-wave-widget"})()');
    if (path === '/api/widget/init') return response.end(JSON.stringify(INIT));
    return response.end(JSON.stringify(SESSION));
  });
});
Object.assign(process.env, {
  [ENVIRONMENT.baseUrl]: await originOf(service),
  [ENVIRONMENT.canaryServerKey]: 'canary-server-key',
});
const { handler } = await import('../../../lambdas/canary/handler.ts');

beforeEach(() => {
  aws.reset();
  // A file that was written in a shell ends with a line break.
  aws.on('GetSecretValue', { SecretId: 'canary-server-key' }, { SecretString: `${KEY}\n` });
  aws.on('PutEvents', {}, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
  redirects = false;
  requests.length = 0;
});

const metricOf = (log: string) => lineOf(log, METRICS.canaryFailed);

test('uses the service over HTTP with the server secret, and counts no failure', async () => {
  const { result, log } = await logged(() => handler({}, lambdaContext()));
  expect(result).toEqual({ success: true });
  expect(requests).toEqual([
    { path: '/api/widget/session/create', key: KEY, token: undefined },
    { path: '/api/widget/init', key: undefined, token: SESSION.session_token },
    { path: '/static/va-wave-widget.js', key: undefined, token: undefined },
  ]);
  expect(metricOf(log)).toMatchObject({ service: STACK_NAME, [METRICS.canaryFailed]: 0 });
});

test('a redirect is a failure that is counted and logged without the server secret, and an event is on the bus all the same', async () => {
  redirects = true;
  const { log } = await logged(() => handler({}, lambdaContext()));
  expect(requests).toHaveLength(1);
  expect(aws.callsOf('PutEvents')).toMatchObject([{ Entries: [{ EventBusName: 'bus', DetailType: 'test.ping' }] }]);
  expect(metricOf(log)).toMatchObject({ [METRICS.canaryFailed]: 1 });
  expect(lineOf(log, 'The canary failed')).toMatchObject({ level: 'ERROR', step: 'session_create' });
  expect(log).not.toContain(KEY);
});

test('a bus that refuses the event, or a secret that cannot be read, is an error of the function', async () => {
  aws.on(
    'PutEvents',
    {},
    { FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] },
    { FailedEntryCount: 0 },
  );
  await expect(logged(() => handler({}, lambdaContext()))).rejects.toThrow('InternalFailure');
  aws.on('GetSecretValue', {}, new Error('away'));
  await expect(logged(() => handler({}, lambdaContext()))).rejects.toThrow('away');
});
