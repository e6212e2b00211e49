import { ENVIRONMENT } from '../../contract/environment.ts';
import { ORIGIN_SECRET_HEADER } from '../../contract/headers.ts';
import { Refusal } from '../../domain/refusal.ts';
import { required } from './environment.ts';

type Headers = { readonly headers: Readonly<Record<string, string | undefined>> };

/**
 * The check that a request came through our distribution, in a deployment whose web ACL stands in front of it: the API has an address of
 * its own, which the web ACL does not see. Elsewhere every request passes, and the origin secret is not asked for.
 * @param originSecret makes the comparison with the origin secret; called once, and only where it is needed
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
