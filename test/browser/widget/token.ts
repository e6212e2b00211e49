const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: object) => `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`;

/** Returns a session token for the widget. The widget reads its payload; only the service checks a signature. */
export const tokenFor = (siteId: string, label = ''): string =>
  token({ site_id: siteId, user_name: 'Zoë 猫', mark: label });

/** Returns a session token of a user, or of a guest whose id begins with `anon_`. */
export const userToken = (userId: string, label = ''): string =>
  token({ sub: userId, site_id: 'site_test', mark: label });
