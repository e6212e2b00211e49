import { ErrorResponse } from 'oidc-client-ts';
import { withoutPage } from '../without-page.ts';

const { loginProblem } = await withoutPage(() => import('../../../../dashboard/src/session/session.ts'));

test.each([
  [
    new ErrorResponse({ error: 'access_denied', error_description: 'User is disabled' }),
    'The login says: User is disabled.',
  ],
  [new ErrorResponse({ error: 'access_denied' }), 'The login says: access_denied.'],
  [new TypeError('Failed to fetch'), 'The dashboard could not reach the login, or the login took too long.'],
])('%p is told as %j', (error, problem) => {
  expect(loginProblem(error)).toMatch(problem);
});
