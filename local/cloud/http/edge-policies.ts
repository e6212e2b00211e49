import { CloudError } from '../cloud-error.ts';
import type { Resource, Stack } from '../template/stack.ts';

/** The parts of a viewer's request that the distribution forwards to the origin. */
export type OriginRequestPolicy = {
  /** Names in lower case: only these, or all but these. Cookies are a header. */
  readonly headers: { readonly which: 'only' | 'all-but'; readonly names: ReadonlySet<string> };
  /** Names of parameters. */
  readonly query: 'all' | ReadonlySet<string>;
};

/** A header that replaces the origin's header, or is only added when the origin sent none. */
type LaidHeader = { readonly name: string; readonly value: string; readonly override: boolean };
/** `cors` headers are for requests with an Origin. */
export type ResponseHeadersPolicy = { readonly always: readonly LaidHeader[]; readonly cors: readonly LaidHeader[] };

/** The managed policies of AWS, by ids that are the same in every account. */
const MANAGED_REQUEST_POLICIES: Readonly<Record<string, OriginRequestPolicy>> = {
  // AllViewerExceptHostHeader
  'b689b0a8-53d0-40ab-baf2-68738e2966ac': {
    headers: { which: 'all-but', names: new Set(['host']) },
    query: 'all',
  },
};

const added = (name: string, value: string): LaidHeader => ({ name, value, override: false });

const MANAGED_RESPONSE_POLICIES: Readonly<Record<string, ResponseHeadersPolicy>> = {
  // CORS-and-SecurityHeadersPolicy
  'e61eb60c-9c35-4d20-a928-2b84e02af89c': {
    always: [
      { name: 'x-content-type-options', value: 'nosniff', override: true },
      added('x-frame-options', 'SAMEORIGIN'),
      added('referrer-policy', 'strict-origin-when-cross-origin'),
      added('strict-transport-security', 'max-age=31536000'),
      added('x-xss-protection', '1; mode=block'),
    ],
    cors: [added('access-control-allow-origin', '*')],
  },
};

/** Returns the request policy with this id. Without an id, nothing is forwarded. @throws CloudError on an unknown id */
export function originRequestPolicy(stack: Stack, id: string | undefined): OriginRequestPolicy {
  if (id === undefined) return { headers: { which: 'only', names: new Set() }, query: new Set() };
  const own = stack.all('AWS::CloudFront::OriginRequestPolicy').find(({ ref }) => ref === id);
  const policy = own === undefined ? MANAGED_REQUEST_POLICIES[id] : forwardedBy(own);
  if (policy === undefined) throw new CloudError(`The local cloud does not know the origin request policy ${id}`);
  return policy;
}

/** Returns the response policy with this id, or an empty policy without an id. @throws CloudError on an unknown id */
export function responseHeadersPolicy(stack: Stack, id: string | undefined): ResponseHeadersPolicy {
  if (id === undefined) return { always: [], cors: [] };
  const own = stack.all('AWS::CloudFront::ResponseHeadersPolicy').find(({ ref }) => ref === id);
  const policy = own === undefined ? MANAGED_RESPONSE_POLICIES[id] : { always: headersOf(own), cors: [] };
  if (policy === undefined) throw new CloudError(`The local cloud does not know the response headers policy ${id}`);
  return policy;
}

/** Returns the headers that a policy adds to a response. `origin` is the Origin header of the request. */
export function applyResponsePolicy(
  { always, cors }: ResponseHeadersPolicy,
  origin: string | undefined,
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | readonly string[]> {
  const result: Record<string, string | readonly string[]> = { ...headers };
  for (const { name, value, override } of origin === undefined ? always : [...always, ...cors]) {
    if (override || result[name] === undefined) result[name] = value;
  }
  return result;
}

function forwardedBy({ properties }: Resource<'AWS::CloudFront::OriginRequestPolicy'>): OriginRequestPolicy {
  const { HeadersConfig, QueryStringsConfig } = properties.OriginRequestPolicyConfig;
  const names = new Set(HeadersConfig.Headers.map((name) => name.toLowerCase()));
  return { headers: { which: 'only', names }, query: new Set(QueryStringsConfig.QueryStrings) };
}

function headersOf({ properties }: Resource<'AWS::CloudFront::ResponseHeadersPolicy'>): LaidHeader[] {
  const { CustomHeadersConfig, SecurityHeadersConfig: security } = properties.ResponseHeadersPolicyConfig;
  const { ContentSecurityPolicy: csp, ContentTypeOptions: type, FrameOptions: frame, ReferrerPolicy } = security;
  const { StrictTransportSecurity: hsts } = security;
  const lay = (name: string, value: string, { Override }: { readonly Override: boolean }): LaidHeader => ({
    name: name.toLowerCase(),
    value,
    override: Override,
  });
  return [
    ...CustomHeadersConfig.Items.map((item) => lay(item.Header, item.Value, item)),
    lay('content-security-policy', csp.ContentSecurityPolicy, csp),
    lay('x-content-type-options', 'nosniff', type),
    lay('x-frame-options', frame.FrameOption, frame),
    lay('referrer-policy', ReferrerPolicy.ReferrerPolicy, ReferrerPolicy),
    lay('strict-transport-security', `max-age=${hsts.AccessControlMaxAgeSec}`, hsts),
  ];
}
