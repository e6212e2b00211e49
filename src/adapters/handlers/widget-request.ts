import type { Logger } from '@aws-lambda-powertools/logger';
import { CORS_REQUEST_HEADERS, SESSION_TOKEN_HEADER, SITE_ID_HEADER } from '../../contract/headers.ts';
import type { IdentifiedWidget, WidgetCredentials } from '../../domain/auth/authenticate-widget.ts';
import { allowedOrigin } from '../../domain/auth/cors.ts';
import type { HttpRequest, ReplyHeaders } from './http.ts';

/** What a widget's request says of itself. @param ip the visitor's address */
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
 * Names the site in every line of the log from here on, and lets its page read the answer, if the page is on its Domain or there is
 * no such site. Called before anything is refused, so that refusals can be read as well.
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

/** For ten minutes the browser need not ask again; the answer itself is checked every time. */
export function allowPreflight(origin: string, headers: ReplyHeaders): void {
  headers['access-control-allow-origin'] = origin;
  headers['access-control-allow-methods'] = 'POST';
  headers['access-control-allow-headers'] = CORS_REQUEST_HEADERS.join(', ');
  headers['access-control-max-age'] = '600';
}
