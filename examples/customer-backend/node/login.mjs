/**
 * Who is logged in. Replace this by your application's own login: whoever this names gets a session in that name.
 * @returns {{ id: string, name: string, email: string } | undefined}
 */
export function currentUser(_request) {
  return { id: 'user-1', name: 'Zoë Example', email: 'zoe@example.com' };
}
