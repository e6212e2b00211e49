import { createHash, timingSafeEqual } from 'node:crypto';
import { ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../../contract/headers.ts';

/**
 * The visitor's IP address: that of the API's own connection, or CloudFront-Viewer-Address when the request proves, by the
 * origin secret, that our distribution wrote that header. Never X-Forwarded-For, which anybody can write.
 */
export async function visitorIp(
  request: { readonly headers: Readonly<Record<string, string | undefined>>; readonly sourceIp: string },
  originSecret: () => Promise<string>,
): Promise<string> {
  const proof = request.headers[ORIGIN_SECRET_HEADER];
  const viewer = request.headers[VIEWER_ADDRESS_HEADER];
  if (!proof || !viewer) return request.sourceIp;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(proof), digest(await originSecret()))) return request.sourceIp;
  // "address:port"; IPv6 addresses come without brackets.
  return viewer.slice(0, viewer.lastIndexOf(':'));
}
