import type { FailureCode } from './deliveries.ts';

/** What a failure means for the person who runs the endpoint. */
export const FAILURE_ADVICE: Readonly<Record<FailureCode, string>> = {
  invalid_url: 'The URL cannot be called. Correct it.',
  blocked_address: 'The host leads to a private or reserved address. Use an endpoint on the public internet.',
  dns_failure: 'The host name was not found. Check its spelling and its DNS record.',
  connect_failure: 'Nothing accepted the connection. Is the server running, and the port open?',
  tls_failure: 'The TLS certificate was not accepted. It must be valid for this host, with its whole chain.',
  timeout: 'There was no complete answer within 5 seconds. Answer first and work afterwards.',
  connection_closed: 'The server closed the connection before it answered.',
  response_malformed: 'The answer was not valid HTTP.',
  redirect: 'The endpoint redirected. Redirects are not followed: use the final URL.',
  http_status: 'The endpoint answered with an error status. Its log knows more.',
  action_disabled: 'The Action is switched off.',
  organization_suspended: 'The organization is suspended.',
  quota_exceeded: 'The organization has used up its outbound requests of today (UTC). Ask the operator.',
  too_many_in_flight:
    'Too many requests of the organization are waiting for their endpoints. Try again in a few seconds.',
  action_deleted: 'The Action was deleted.',
  payload_too_large: 'The payload was too large to send.',
  internal_error: 'The service failed. Try again.',
};
