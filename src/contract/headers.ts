/** Names of request headers, in lower case as API Gateway passes them to a function. */
export const ORIGIN_SECRET_HEADER = 'x-va-wave-origin';
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';
export const SITE_ID_HEADER = 'x-site-id';
export const SESSION_TOKEN_HEADER = 'x-session-token';
export const SERVER_KEY_HEADER = 'x-server-key';

/** Request headers that the preflight response allows a widget to send from another origin. */
export const CORS_REQUEST_HEADERS = ['content-type', SITE_ID_HEADER, SESSION_TOKEN_HEADER];
