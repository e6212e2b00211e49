import { apiError, describeProblem, fieldProblems, mayRetry } from '../../../../dashboard/src/session/problems.ts';
import type { RefusalCode } from '../../../../src/contract/errors.ts';
import { Refusal } from '../../../../src/domain/refusal.ts';

const answered = (status: number, body: object | string, headers: Record<string, string> = {}) =>
  apiError(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }));
/** The answer of the service to what it refuses. */
const refused = (code: RefusalCode, ...fields: readonly (readonly [field: string, problem: string])[]) => {
  const named = fields.map(([field, problem]) => ({ field, problem }));
  const { status, message, fields: wrong } = new Refusal(code, named.length > 0 ? { fields: named } : {});
  return answered(status, { success: false, code, error: message, fields: wrong });
};

describe('the user gets a description', () => {
  test.each<[RefusalCode, string]>([
    ['organization_suspended', 'The organization is suspended'],
    ['action_not_found', 'This no longer exists'],
    ['organization_not_found', 'This no longer exists'],
    ['admin_required', 'Ask an admin'],
    ['server_secret_exists', 'Already exists; regenerate'],
    ['too_many_actions', 'The organization has the maximum number of Actions.'],
    ['paid_feature', 'Session Signed is a paid feature'],
  ])('of %s', async (code, text) => {
    expect(describeProblem(await refused(code))).toMatch(new RegExp(`^(?!Error).*${text}`));
  });

  test('of the field that a form does not show, and of an internal error', async () => {
    const hidden = await refused('invalid_request', ['allowed_domains', 'must have at most 100 entries']);
    expect(describeProblem(hidden)).toBe('Allowed domains: Must have at most 100 entries.');
    const fault = await answered(500, { success: false, code: 'internal_error', error: 'Internal error' });
    expect(describeProblem(fault)).toContain('The service failed');
  });

  test('of the time until the next request', async () => {
    const body = { success: false, code: 'rate_limit_exceeded', error: 'Rate limit exceeded' };
    const soon = await answered(429, body, { 'retry-after': '42' });
    expect(describeProblem(soon)).toBe('Too many requests. Try again in 42 seconds.');
    expect(describeProblem(await answered(429, body))).toBe('Too many requests. Wait a minute and try again.');
  });

  test('of an error of API Gateway, which has no code', async () => {
    expect(describeProblem(await answered(403, { message: 'Forbidden' }))).toContain('may not use the dashboard');
    expect(describeProblem(await answered(429, { message: 'Too Many Requests' }))).toContain('Wait a minute');
    expect(describeProblem(new TypeError('fetch failed'))).toContain('No connection');
  });

  test.each([
    [403, '<html><body>Request blocked.</body></html>'],
    [403, ''],
    [403, '{"error_code":1020}'],
    [407, 'Proxy Authentication Required'],
    [413, '<html>'],
    [451, '[]'],
  ])('of an answer %d that is neither of the service nor of API Gateway: %s', async (status, body) => {
    expect(describeProblem(await answered(status, body))).toBe(
      `A firewall or a proxy refused the request (status ${status}). Contact the operator.`,
    );
    expect(describeProblem(await answered(503, body))).toContain('The service failed');
  });
});

describe('a form shows', () => {
  const whole = { row: undefined, part: undefined };
  test.each([
    ['name', { field: 'name' }],
    ['allowed_domains.2', { field: 'allowed_domains', row: '2' }],
    ['action.form_fields.0.key', { field: 'form_fields', row: '0', part: 'key' }],
    ['response_field_map.1.path', { field: 'response_field_map', row: '1', part: 'path' }],
  ])('the problem of %s', async (field, problem) => {
    const error = await refused('invalid_request', [field, 'is required: "a: b"']);
    expect(fieldProblems(error)).toEqual([{ ...whole, ...problem, text: 'Is required: "a: b".' }]);
  });

  test('each wrong field with its first problem', async () => {
    const error = await refused(
      'invalid_request',
      ['assistant.name', 'is required'],
      ['assistant.domain', 'must be a host'],
      ['assistant.name', 'is too short'],
    );
    expect(fieldProblems(error).map(({ field, text }) => [field, text])).toEqual([
      ['name', 'Is required.'],
      ['domain', 'Must be a host.'],
    ]);
  });

  test('a name that is in use', async () => {
    expect(fieldProblems(await refused('name_taken', ['name', 'another one has it']))).toMatchObject([
      { field: 'name', text: 'Another one has it.' },
    ]);
  });

  test('no field for a fault', async () => {
    const fault = await answered(500, { success: false, code: 'internal_error', error: 'Internal error' });
    expect(fieldProblems(fault)).toEqual([]);
  });
});

test.each([
  [403, false],
  [404, false],
  [429, true],
  [500, true],
])('whether a request may be tried again after %d: %p', async (status, expected) => {
  expect(mayRetry(await answered(status, {}))).toBe(expected);
});

test('a request may be tried again without a connection', () => {
  expect(mayRetry(new TypeError('Failed to fetch'))).toBe(true);
});
