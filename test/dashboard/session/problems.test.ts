import { apiError, describeProblem, fieldProblems } from '../../../dashboard/src/session/problems.ts';

const answered = (status: number, body: object | string, headers: Record<string, string> = {}) =>
  apiError(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }));
const refused = (status: number, code: string, error: string, field?: string) =>
  answered(status, { success: false, code, error, field });

describe('the user gets a description', () => {
  test.each([
    [409, 'organization_suspended', 'org_id: org_1 is suspended', 'The organization is suspended'],
    [404, 'action_not_found', 'action_id: no Action act_1', 'This no longer exists'],
    [404, 'organization_not_found', 'org_id: no organization org_1', 'This no longer exists'],
    [403, 'admin_required', 'Only admins of the organization may do this', 'Ask an admin'],
    [409, 'server_secret_exists', 'server_secret: exists already', 'Exists already.'],
    [500, 'internal_error', 'Internal error', 'The service failed'],
  ])('of %i %s', async (status, code, error, text) => {
    expect(describeProblem(await refused(status, code, error))).toContain(text);
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
    expect(describeProblem(await answered(503, '<html>'))).toContain('The service failed');
    expect(describeProblem(await answered(418, 'no JSON'))).toBe('Error 418.');
    expect(describeProblem(new TypeError('fetch failed'))).toContain('No connection');
  });
});

describe('a form shows', () => {
  const whole = { row: undefined, part: undefined };
  test.each([
    ['name', 'name: is required', { field: 'name', ...whole, text: 'Is required.' }],
    [
      'allowed_domains.2',
      'allowed_domains.2: must be a host',
      { field: 'allowed_domains', row: '2', text: 'Must be a host.' },
    ],
    [
      'action.form_fields.0.key',
      'action.form_fields.0.key: is required',
      { field: 'form_fields', row: '0', part: 'key', text: 'Is required.' },
    ],
    [
      'response_field_map.1.path',
      'response_field_map.1.path: must be a path',
      { field: 'response_field_map', row: '1', part: 'path', text: 'Must be a path.' },
    ],
  ])('the problem of %s', async (field, error, problem) => {
    expect(fieldProblems(await refused(400, 'invalid_request', error, field))).toEqual([{ ...whole, ...problem }]);
  });

  test('each wrong field with its first problem, and no field without an input', async () => {
    const fields = [
      { field: 'assistant.name', problem: 'is required' },
      { field: 'assistant.domain', problem: 'must be a host' },
      { field: 'assistant.name', problem: 'is too short' },
      { field: 'idempotency_key', problem: 'is required' },
    ];
    const error = await answered(400, { success: false, code: 'invalid_request', error: 'first', field: 'x', fields });
    expect(fieldProblems(error).map(({ field, text }) => [field, text])).toEqual([
      ['name', 'Is required.'],
      ['domain', 'Must be a host.'],
    ]);
  });

  test('a name that is in use', async () => {
    const error = await refused(409, 'name_taken', 'name: another Form Action is already called contact', 'name');
    expect(fieldProblems(error)).toMatchObject([
      { field: 'name', text: 'Another Form Action is already called contact.' },
    ]);
  });

  test.each([
    ['a refusal that is about no field', () => refused(404, 'action_not_found', 'action_id: no Action act_1')],
    ['a field without an input', () => refused(400, 'invalid_request', 'version: is required', 'version')],
    ['a fault', () => answered(500, { success: false, code: 'internal_error', error: 'Internal error' })],
  ])('no field for %s', async (_, error) => {
    expect(fieldProblems(await error())).toEqual([]);
  });
});
