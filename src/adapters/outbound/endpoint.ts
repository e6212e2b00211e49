import { isIP } from 'node:net';
import { parseEndpointUrl } from '../../contract/url.ts';
import { Failure } from './failure.ts';
import type { NetworkRule } from './rule.ts';

/** The parts of a parsed endpoint URL. The URL is parsed only once, so that all checks and the request use the same parts. */
export type Endpoint = {
  /** Host name without trailing dot, or IP address without brackets. Used for DNS, SNI, certificate and messages. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** Value of the Host header. */
  readonly authority: string;
  /** Path and query as sent. */
  readonly target: string;
};

/**
 * Parses an endpoint URL and checks its host name or IP address.
 * @throws {Failure} `invalid_url` when it is not a well-formed https URL, `blocked_address` when its host is refused without a DNS lookup
 */
export function parseEndpoint(text: string, rule: NetworkRule): Endpoint {
  const url = parseEndpointUrl(text);
  if (typeof url === 'string') throw new Failure('invalid_url', `The endpoint URL ${url}`);
  const written = url.hostname.replace(/\.$/, '');
  const host = written.replace(/^\[|\]$/g, '');
  const isAddress = isIP(host) !== 0;
  // An IP address is checked here, because it needs no DNS lookup.
  const refusal = isAddress ? rule.addressProblem(host) : rule.nameProblem(host);
  if (refusal !== undefined) throw new Failure('blocked_address', `The endpoint's host is ${refusal}`);
  return {
    host,
    isAddress,
    port: url.port === '' ? 443 : Number(url.port),
    authority: url.port === '' ? written : `${written}:${url.port}`,
    target: url.pathname + url.search,
  };
}
