import { anAssistant, SITE_ID } from '../fakes/configuration.ts';
import { errorBody } from '../fakes/error-body.ts';
import { aws } from './environment.ts';
import { call } from './invocation.ts';
import { store } from './stored.ts';

const { handler } = await import('../../lambdas/preflight/handler.ts');
const { handler: notFound } = await import('../../lambdas/not-found/handler.ts');

beforeEach(() => store(anAssistant()));

const FORM = `/api/widgets/sites/${SITE_ID}/forms/contact-us/submit`;
const ask = (path: string, origin: string | undefined, query?: Record<string, string>) =>
  call(handler, {
    method: 'OPTIONS',
    path,
    ...(query === undefined ? {} : { query }),
    headers: { ...(origin === undefined ? {} : { origin }), 'access-control-request-method': 'POST' },
  });

test.each<[string, string, Record<string, string> | undefined]>([
  ['form submit', FORM, undefined],
  ['init with its site', '/api/widget/init', { site: SITE_ID }],
])('a page on the Domain may call %s', async (_, path, query) => {
  const answer = await ask(path, 'https://shop.example', query);
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': 'https://shop.example',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type, x-site-id, x-session-token',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
});

test.each<[string, string, string | undefined, Record<string, string> | undefined]>([
  ['another origin', FORM, 'https://evil.example', undefined],
  ['another origin, at init', '/api/widget/init', 'https://evil.example', { site: SITE_ID }],
  ['the origin null', FORM, 'null', undefined],
  ['no origin', FORM, undefined, undefined],
])('%s may not', async (_, path, origin, query) => {
  const answer = await ask(path, origin, query);
  expect(answer.status).toBe(204);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(answer.headers).toMatchObject({ vary: 'Origin' });
});

test.each<[string, string, Record<string, string> | undefined]>([
  ['of no assistant, at init', '/api/widget/init', { site: 'site_nobody' }],
  ['that is malformed', '/api/widget/init', { site: '../x y' }],
  ['that is empty', '/api/widget/init', { site: '' }],
  ['of no assistant, at form submit', '/api/widgets/sites/site_nobody/forms/x/submit', undefined],
])('every page may read that the site does not exist: a site id %s', async (_, path, query) => {
  const answer = await ask(path, 'https://anywhere.example', query);
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': 'https://anywhere.example', vary: 'Origin' });
  const opaque = await ask(path, 'null', query);
  expect(opaque.headers).not.toHaveProperty('access-control-allow-origin');
});

test('without a site, a page on the Domain of any assistant may call init', async () => {
  aws.on(
    'Query',
    { ExpressionAttributeValues: { ':pk': 'DOMAIN#shop.example:443' } },
    { Items: [{ pk: 'x', sk: 'x' }] },
  );
  expect((await ask('/api/widget/init', 'https://shop.example')).headers).toHaveProperty('access-control-allow-origin');
  expect((await ask('/api/widget/init', 'https://evil.example')).headers).not.toHaveProperty(
    'access-control-allow-origin',
  );
});

test('the query cannot override the site of the path', async () => {
  const other = anAssistant({ site_id: 'site_evil', domain: 'evil.example' });
  store(anAssistant(), other);
  const answer = await ask(FORM, 'https://evil.example', { site: 'site_evil' });
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
});

test('a storage error is a 500', async () => {
  aws.on('GetItem', {}, new Error('away'));
  expect(await ask(FORM, 'https://shop.example')).toMatchObject({
    status: 500,
    body: errorBody('Internal error'),
  });
});

test('an unknown route is a 404 with the common error body', async () => {
  const answer = await call(notFound, { method: 'GET', path: '/api/nothing' });
  expect([answer.status, answer.body]).toEqual([404, errorBody('Not found')]);
  expect(answer.headers).toMatchObject({ vary: 'Origin', 'content-type': 'application/json' });
});
