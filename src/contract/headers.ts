/** Request headers that carry a credential of the public routes, as the spec writes them. */
export const CREDENTIAL_HEADERS = {
  siteId: 'X-Site-Id',
  sessionToken: 'X-Session-Token',
  serverKey: 'X-Server-Key',
} as const;

/** Names of request headers, in lower case as API Gateway passes them to a function. */
export const ORIGIN_SECRET_HEADER = 'x-va-wave-origin';
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';
export const SITE_ID_HEADER = CREDENTIAL_HEADERS.siteId.toLowerCase();
export const SESSION_TOKEN_HEADER = CREDENTIAL_HEADERS.sessionToken.toLowerCase();
export const SERVER_KEY_HEADER = CREDENTIAL_HEADERS.serverKey.toLowerCase();
