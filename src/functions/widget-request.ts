import type { Logger } from '@aws-lambda-powertools/logger';
import { SESSION_TOKEN_HEADER, SITE_ID_HEADER } from '../contract/headers.ts';
import { CORS_REQUEST_HEADERS } from '../contract/public-operations.ts';
import type { IdentifiedWidget, WidgetCredentials } from '../domain/auth/authenticate-widget.ts';
import { allowedOrigin } from '../domain/auth/cors.ts';
import type { HttpRequest, ReplyHeaders } from './http.ts';

/** Reads the credentials of a widget's request. @param ip address of the visitor */
export function widgetCredentials(request: HttpRequest, ip: string): WidgetCredentials {
  return {
    siteId: request.headers[SITE_ID_HEADER],
    sessionToken: request.headers[SESSION_TOKEN_HEADER],
    origin: request.headers.origin,
    referer: request.headers.referer,
    ip,
  };
}

/**
 * Adds the site to all following log lines, and allows the page to read the response when the page is on the assistant's Domain or the
 * site does not exist. Call it before the request can be refused, so that the page can also read refusals.
 */
export function siteIdentified(
  { assistant, credentials }: IdentifiedWidget,
  logger: Logger,
  headers: ReplyHeaders,
): void {
  if (assistant !== undefined) logger.appendKeys({ org_id: assistant.org_id, site_id: assistant.site_id });
  const origin = allowedOrigin(assistant, credentials.origin);
  if (origin !== undefined) headers['access-control-allow-origin'] = origin;
}

/** Sets the headers of a preflight response that allows the origin. The browser may cache it for ten minutes. */
export function allowPreflight(origin: string, headers: ReplyHeaders): void {
  headers['access-control-allow-origin'] = origin;
  headers['access-control-allow-methods'] = 'POST';
  headers['access-control-allow-headers'] = CORS_REQUEST_HEADERS.join(', ');
  headers['access-control-max-age'] = '600';
}
