import type { FailureCode } from './deliveries.ts';

/** Advice to the person who runs the endpoint, by failure code. */
export const FAILURE_ADVICE: Readonly<Record<FailureCode, string>> = {
  invalid_url: 'The URL cannot be called. Correct it.',
  blocked_address: 'The host name resolves to a private or reserved address. Use an endpoint on the public internet.',
  dns_failure: 'The DNS lookup of the host name failed. Check its spelling and its DNS record.',
  connect_failure: 'The connection was not accepted. Check that the server is running and that the port is open.',
  tls_failure:
    'The TLS connection failed. The certificate must be valid for this host, and the server must send its complete chain.',
  timeout: 'The endpoint did not send a complete response within 5 seconds. Respond first and do the work afterwards.',
  connection_closed: 'The server closed the connection before the response was complete.',
  response_malformed: 'The response was not valid HTTP.',
  redirect: 'The endpoint sent a redirect. Redirects are not followed: use the final URL.',
  http_status: 'The endpoint responded with an error status. Look in the log of the endpoint.',
  action_disabled: 'The Action is disabled.',
  organization_suspended: 'The organization is suspended.',
  quota_exceeded:
    'The organization has used its quota of outbound requests for today (UTC). Ask the operator for a higher quota.',
  too_many_in_flight: 'Too many requests of the organization are waiting for responses. Try again in a few seconds.',
  action_deleted: 'The Action was deleted.',
  payload_too_large: 'The payload is too large or nested too deeply to send.',
  internal_error: 'The service failed. Try again.',
};
