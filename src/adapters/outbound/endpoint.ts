import { isIP } from 'node:net';
import { parseEndpointUrl } from '../../contract/url.ts';
import { Failure } from './failure.ts';
import type { NetworkRule } from './rule.ts';

/** A URL after its one and only parsing; nothing later looks at the text again. */
export type Endpoint = {
  /** Host name without trailing dot, or IP address without brackets: for DNS, SNI, certificate and messages. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** Value of the Host header. */
  readonly authority: string;
  /** Path and query as sent. */
  readonly target: string;
};

/**
 * @throws {Failure} `invalid_url` when it is no well-formed https URL, `blocked_address` when its host is refused as written
 */
export function parseEndpoint(text: string, rule: NetworkRule): Endpoint {
  const url = parseEndpointUrl(text);
  if (typeof url === 'string') throw new Failure('invalid_url', `The endpoint URL ${url}`);
  const written = url.hostname.replace(/\.$/, '');
  const host = written.replace(/^\[|\]$/g, '');
  const isAddress = isIP(host) !== 0;
  // An address never reaches a resolver, so it has to be checked here.
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
