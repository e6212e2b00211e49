import { ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../../contract/headers.ts';

/**
 * The visitor's IP address: that of the API's own connection, or CloudFront-Viewer-Address when the request proves, by the
 * origin secret, that our distribution wrote that header. While that secret rotates, two values are accepted. Never X-Forwarded-For, which anybody can write.
 */
export async function visitorIp(
  request: { readonly headers: Readonly<Record<string, string | undefined>>; readonly sourceIp: string },
  isOriginSecret: (text: string) => Promise<boolean>,
): Promise<string> {
  const proof = request.headers[ORIGIN_SECRET_HEADER];
  const viewer = request.headers[VIEWER_ADDRESS_HEADER];
  if (!proof || !viewer) return request.sourceIp;
  if (!(await isOriginSecret(proof))) return request.sourceIp;
  // "address:port"; IPv6 addresses come without brackets.
  return viewer.slice(0, viewer.lastIndexOf(':'));
}
