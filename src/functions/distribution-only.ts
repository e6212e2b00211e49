import { ENVIRONMENT } from '../contract/environment.ts';
import { ORIGIN_SECRET_HEADER } from '../contract/headers.ts';
import { Refusal } from '../domain/refusal.ts';
import { required } from './environment.ts';

type Headers = { readonly headers: Readonly<Record<string, string | undefined>> };

/**
 * Creates the check that a request came through the CloudFront distribution. It is active when a web ACL protects the distribution,
 * because requests to the API's own URL bypass the web ACL. Otherwise it accepts every request.
 * @param originSecret creates the comparison with the origin secret; called once, and only when the check is active
 * @returns a function that throws Refusal 403 for a request without the secret
 */
export function distributionOnly(
  environment: NodeJS.ProcessEnv,
  originSecret: () => (text: string) => Promise<boolean>,
): (request: Headers) => Promise<void> {
  if (required(environment, ENVIRONMENT.distributionOnly) !== 'true') return async () => undefined;
  const isOriginSecret = originSecret();
  return async ({ headers }) => {
    const proof = headers[ORIGIN_SECRET_HEADER];
    if (!proof || !(await isOriginSecret(proof))) throw new Refusal('distribution_required');
  };
}
