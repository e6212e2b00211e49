import type { Assistant } from '../../contract/assistants.ts';
import { identifier } from '../../contract/widget.ts';
import { entriesMatching, hostMatches, originHost } from './hosts.ts';

/**
 * The origin that the browser may be told to allow, in its parsed form: the one that asks, if it is on the assistant's Domain. That
 * a site does not exist may be read by any page: whoever asks without a browser is told the same, and the page's developer sees the
 * reason.
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

export type PreflightPorts = {
  readonly findAssistant: (siteId: string) => Promise<Assistant | undefined>;
  /** Whether any assistant's Domain is one of these entries. */
  readonly anyDomain: (entries: readonly string[]) => Promise<boolean>;
};

/**
 * Answers a preflight: the origin to allow, or undefined. The site is named by the path (form submit) or by `?site=`
 * (init); without either, an origin passes that is the Domain of any assistant, since a preflight carries no credentials.
 */
export async function preflight(
  request: { readonly origin: string | undefined; readonly siteId: string | undefined },
  ports: PreflightPorts,
): Promise<string | undefined> {
  const page = request.origin === undefined ? undefined : originHost(request.origin);
  if (page === undefined) return undefined;
  if (request.siteId === undefined) return (await ports.anyDomain(entriesMatching(page))) ? page.origin : undefined;
  const canBeOne = identifier.safeParse(request.siteId).success;
  return allowedOrigin(canBeOne ? await ports.findAssistant(request.siteId) : undefined, request.origin);
}
