import { SESSION_TOKEN_HEADER, SITE_ID_HEADER } from '../contract/public-operations.ts';
import { type IdentifiedWidget, identifyWidget } from '../domain/auth/authenticate-widget.ts';
import { allowedOrigin } from '../domain/auth/cors.ts';
import type { Context } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import { functionOriginSecret } from './function-secrets.ts';
import type { HttpRequest } from './http.ts';
import { isDistributionRequired, isFromDistribution, visitorIp } from './widget-request.ts';

/**
 * Creates the identification of the widget that sends a request. Adds the site to all following log lines, and allows the page to read the
 * response when the page is on the assistant's Domain or the site does not exist, so that it can also read refusals.
 * @throws Refusal 403 for a request that had to come through the distribution
 */
export function widgetIdentification(context: Context<'configuration' | 'tokens'>) {
  const isOriginSecret = functionOriginSecret();
  const distributionRequired = isDistributionRequired(process.env);
  return async (request: HttpRequest): Promise<IdentifiedWidget> => {
    const viaDistribution = await isFromDistribution(request, isOriginSecret);
    if (distributionRequired && !viaDistribution) throw new Refusal('distribution_required');
    const { headers, answerHeaders } = request;
    const credentials = {
      siteId: headers[SITE_ID_HEADER],
      sessionToken: headers[SESSION_TOKEN_HEADER],
      origin: headers.origin,
      referer: headers.referer,
      ip: visitorIp(request, viaDistribution),
    };
    const widget = await identifyWidget(credentials, context);
    request.logSite(widget.assistant);
    const origin = allowedOrigin(widget.assistant, credentials.origin);
    if (origin !== undefined) {
      answerHeaders['access-control-allow-origin'] = origin;
      // The widget repeats a refused request after this pause.
      answerHeaders['access-control-expose-headers'] = 'Retry-After';
    }
    return widget;
  };
}
