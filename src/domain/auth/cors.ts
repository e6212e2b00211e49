import type { Assistant } from '../../contract/assistants.ts';
import { entriesMatching, hostMatches, originHost } from '../../contract/hosts.ts';
import { PUBLIC_OPERATIONS } from '../../contract/public-operations.ts';
import { identifier } from '../../contract/widget.ts';
import type { Configuration } from '../context.ts';

/**
 * Returns the origin for the header Access-Control-Allow-Origin, in parsed form: the request's origin, when it is on the assistant's
 * Domain, otherwise undefined. When the site does not exist, every origin may read the refusal, so that a developer sees the reason. It
 * reveals nothing: a client without a browser can read it too.
 */
export function allowedOrigin(
  assistant: Pick<Assistant, 'domain'> | undefined,
  origin: string | undefined,
): string | undefined {
  const page = origin ? originHost(origin) : undefined;
  if (page === undefined) return undefined;
  if (assistant === undefined) return page.origin;
  return assistant.domain !== '' && hostMatches(assistant.domain, page) ? page.origin : undefined;
}

const FORM_PATH = new RegExp(`^${PUBLIC_OPERATIONS.submitForm.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);

/**
 * Answers a preflight request with the origin to allow, or undefined. The path (form submit) or `?site=` (init) names the site. Without
 * either, the origin is allowed when it is on the Domain of any assistant, because a preflight request carries no credentials.
 */
export async function preflight(
  { path, site, origin }: { readonly path: string; readonly site?: string; readonly origin: string | undefined },
  configuration: Configuration,
): Promise<string | undefined> {
  const page = origin === undefined ? undefined : originHost(origin);
  if (page === undefined) return undefined;
  const siteId = FORM_PATH.exec(path)?.[1] ?? site;
  if (siteId === undefined) return (await configuration.anyDomain(entriesMatching(page))) ? page.origin : undefined;
  const canExist = identifier.safeParse(siteId).success;
  return allowedOrigin(canExist ? await configuration.findAssistant(siteId) : undefined, origin);
}
