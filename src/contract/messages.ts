/** Every refusal that a caller of the public routes can read, word for word as in the spec's "Errors". */
export const MESSAGES = {
  originNotAllowed: 'Origin not in allowed domains',
  noAllowedDomains: 'Site has no allowed domains configured',
  originRequired: 'Origin or Referer header required for safelist auth',
  sessionTokenRequired: 'This site requires session token authentication',
  siteDisabled: 'Widget site is disabled',
  ipNotAllowed: 'Access denied: IP not in allowlist',
  rateLimitExceeded: 'Rate limit exceeded',
  serverKeyRequired: 'Server key required',
  serverKeyFormat: 'Invalid server key format',
  serverKeyInvalid: 'Invalid server key',

  // The rest is open in the spec (docs/open-points.md).
  sessionTokenInvalid: 'Invalid or expired session token',
  siteNotFound: 'Widget site not found',
  credentialsRequired: 'X-Site-Id or X-Session-Token header required',
  siteMismatch: 'The credential belongs to another site',
  bodyNotJson: 'Request body must be valid JSON',
  bodyNotObject: 'Request body must be a JSON object',
  bodyTooLarge: 'Request body is too large',
  formNotFound: 'Form not found',
  conversationUnknown: 'conversation_id: unknown conversation',
  submissionInProgress: 'client_key: this submission is still being delivered',
  submissionFailed: 'The submission could not be delivered',
  loginRequired: 'Log in first',
  notFound: 'Not found',
  internal: 'Internal error',
} as const;
