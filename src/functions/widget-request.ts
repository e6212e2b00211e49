import { CORS_REQUEST_HEADERS, ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../contract/public-operations.ts';
import type { HttpRequest } from './http.ts';
import { setting } from './settings.ts';

/** Returns whether the CloudFront distribution sent the request: only it knows the origin secret, of which a rotation accepts two values. */
export async function isFromDistribution(
  { headers }: { readonly headers: Readonly<Record<string, string | undefined>> },
  isOriginSecret: (text: string) => Promise<boolean>,
): Promise<boolean> {
  const proof = headers[ORIGIN_SECRET_HEADER];
  return proof !== undefined && proof !== '' && (await isOriginSecret(proof));
}

type ConnectedRequest = Pick<HttpRequest, 'headers' | 'sourceIp'>;

/**
 * Returns the visitor's IP address: CloudFront-Viewer-Address when the distribution sent the request, because it sets that header;
 * otherwise the address of the connection to the API. Never uses X-Forwarded-For, which every client can set.
 */
export function visitorIp({ headers, sourceIp }: ConnectedRequest, viaDistribution: boolean): string {
  const viewerAddress = headers[VIEWER_ADDRESS_HEADER];
  // The header has the form "address:port". IPv6 addresses have no brackets.
  return viewerAddress && viaDistribution ? viewerAddress.slice(0, viewerAddress.lastIndexOf(':')) : sourceIp;
}

/** Returns whether a web ACL protects the distribution. Requests to the API's own URL bypass the web ACL, so they are refused then. */
export const isDistributionRequired = (environment: NodeJS.ProcessEnv): boolean =>
  setting('distributionOnly', environment) === 'true';

/** More than a page's monitoring adds to its requests. */
const ADDED_HEADERS_MAX = 32;

/**
 * Returns the headers of a preflight answer that allows the origin. The browser may cache it for ten minutes.
 * @param requestedHeaders the header names that the page's request has. Monitoring adds its own to every request of a page (traceparent), and
 * requests of the widget carry no credentials of the browser, so 32 names of at most 64 characters are allowed besides those of the widget
 */
export function preflightHeaders(origin: string, requestedHeaders = ''): Readonly<Record<string, string>> {
  const pageHeaders = requestedHeaders
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^[!#$%&'*+.^_`|~\w-]{1,64}$/.test(name) && !CORS_REQUEST_HEADERS.includes(name))
    .slice(0, ADDED_HEADERS_MAX);
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': [...CORS_REQUEST_HEADERS, ...pageHeaders].join(', '),
    'access-control-max-age': '600',
  };
}
