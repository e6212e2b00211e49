/**
 * Returns the user who is logged in. Replace it by your application's own login, because the user that it returns gets a session.
 * @returns {{ id: string, name: string, email: string } | undefined}
 */
export function currentUser(_request) {
  return { id: 'user-1', name: 'Zoë Example', email: 'zoe@example.com' };
}
