/** Returns a session token for the widget. The widget reads its payload; only the service checks a signature. */
export function tokenFor(siteId: string, label = ''): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part({ site_id: siteId, user_name: 'Zoë 猫', mark: label })}.c2lnbmF0dXJl`;
}
