import { ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../contract/headers.ts';

/**
 * Returns the visitor's IP address: CloudFront-Viewer-Address when the request has the origin secret, which proves that the
 * distribution set that header; otherwise the address of the connection to the API. During a rotation of the secret, two values are
 * accepted. Never uses X-Forwarded-For, which every client can set.
 */
export async function visitorIp(
  request: { readonly headers: Readonly<Record<string, string | undefined>>; readonly sourceIp: string },
  isOriginSecret: (text: string) => Promise<boolean>,
): Promise<string> {
  const proof = request.headers[ORIGIN_SECRET_HEADER];
  const viewer = request.headers[VIEWER_ADDRESS_HEADER];
  if (!proof || !viewer) return request.sourceIp;
  if (!(await isOriginSecret(proof))) return request.sourceIp;
  // The header has the form "address:port". IPv6 addresses have no brackets.
  return viewer.slice(0, viewer.lastIndexOf(':'));
}
