/** Request headers in the lower case in which API Gateway hands them over. */
export const ORIGIN_SECRET_HEADER = 'x-va-wave-origin';
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';
export const SITE_ID_HEADER = 'x-site-id';
export const SESSION_TOKEN_HEADER = 'x-session-token';
export const SERVER_KEY_HEADER = 'x-server-key';

/** What a widget's request may carry across origins, for the preflight answer. */
export const CORS_REQUEST_HEADERS = ['content-type', SITE_ID_HEADER, SESSION_TOKEN_HEADER];
