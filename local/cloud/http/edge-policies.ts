import { CloudError } from '../cloud-error.ts';
import type { Model } from '../template/model.ts';

export type OriginRequestPolicy = Model['originRequestPolicies'] extends ReadonlyMap<string, infer P> ? P : never;
export type ResponseHeadersPolicy = Model['responseHeadersPolicies'] extends ReadonlyMap<string, infer P> ? P : never;

const allOf = { QueryStringBehavior: 'all' as const, QueryStrings: [] };
const allCookies = { CookieBehavior: 'all' as const, Cookies: [] };

/** AWS's own policies, by the ids that every account knows them under. */
const MANAGED_REQUEST_POLICIES: Readonly<Record<string, OriginRequestPolicy>> = {
  // AllViewer
  '216adef6-5c7f-47e4-b989-5492eafa07d3': {
    HeadersConfig: { HeaderBehavior: 'allViewer', Headers: [] },
    QueryStringsConfig: allOf,
    CookiesConfig: allCookies,
  },
  // AllViewerExceptHostHeader
  'b689b0a8-53d0-40ab-baf2-68738e2966ac': {
    HeadersConfig: { HeaderBehavior: 'allExcept', Headers: ['host'] },
    QueryStringsConfig: allOf,
    CookiesConfig: allCookies,
  },
};

const on = { Override: true };
const off = { Override: false };
const anyOrigin = {
  AccessControlAllowCredentials: false,
  AccessControlAllowHeaders: { Items: ['*'] },
  AccessControlAllowMethods: { Items: ['GET'] },
  AccessControlAllowOrigins: { Items: ['*'] },
  OriginOverride: false,
};
const security = {
  ContentTypeOptions: on,
  FrameOptions: { FrameOption: 'SAMEORIGIN', ...off },
  ReferrerPolicy: { ReferrerPolicy: 'strict-origin-when-cross-origin', ...off },
  StrictTransportSecurity: { AccessControlMaxAgeSec: 31536000, ...off },
  XSSProtection: { Protection: true, ModeBlock: true, ...off },
};

const MANAGED_RESPONSE_POLICIES: Readonly<Record<string, ResponseHeadersPolicy>> = {
  // SimpleCORS
  '60669652-455b-4ae9-85a4-c4c02393f86c': { CorsConfig: anyOrigin },
  // SecurityHeadersPolicy
  '67f7725c-6f97-4210-82d7-5512b31e9d03': { SecurityHeadersConfig: security },
  // CORS-and-SecurityHeadersPolicy
  'e61eb60c-9c35-4d20-a928-2b84e02af89c': { CorsConfig: anyOrigin, SecurityHeadersConfig: security },
};

/** The request policy with this id. Without an id nothing is forwarded. @throws CloudError on an id that is not known */
export function originRequestPolicy(model: Model, id: string | undefined): OriginRequestPolicy {
  if (id === undefined) {
    return {
      HeadersConfig: { HeaderBehavior: 'none', Headers: [] },
      QueryStringsConfig: { QueryStringBehavior: 'none', QueryStrings: [] },
      CookiesConfig: { CookieBehavior: 'none', Cookies: [] },
    };
  }
  const policy = model.originRequestPolicies.get(id) ?? MANAGED_REQUEST_POLICIES[id];
  if (policy === undefined) throw new CloudError(`The one-machine cloud does not know the origin request policy ${id}`);
  return policy;
}

/** The response policy with this id, or an empty one without an id. @throws CloudError on an id that is not known */
export function responseHeadersPolicy(model: Model, id: string | undefined): ResponseHeadersPolicy {
  if (id === undefined) return {};
  const policy = model.responseHeadersPolicies.get(id) ?? MANAGED_RESPONSE_POLICIES[id];
  if (policy === undefined)
    throw new CloudError(`The one-machine cloud does not know the response headers policy ${id}`);
  return policy;
}

/** The headers that a policy lays over a response. `origin` is the Origin header of the request. */
export function applyResponsePolicy(
  policy: ResponseHeadersPolicy,
  origin: string | undefined,
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | readonly string[]> {
  const result: Record<string, string | readonly string[]> = { ...headers };
  for (const { Header } of policy.RemoveHeadersConfig?.Items ?? []) delete result[Header.toLowerCase()];
  const set = (name: string, value: string, override: boolean): void => {
    if (override || result[name.toLowerCase()] === undefined) result[name.toLowerCase()] = value;
  };
  for (const { Header, Value, Override } of policy.CustomHeadersConfig?.Items ?? []) set(Header, Value, Override);
  applySecurity(policy.SecurityHeadersConfig ?? {}, set);
  const cors = policy.CorsConfig;
  if (cors === undefined || origin === undefined) return result;
  const origins = cors.AccessControlAllowOrigins.Items;
  if (!origins.includes('*') && !origins.includes(origin)) return result;
  set('access-control-allow-origin', origins.includes('*') ? '*' : origin, cors.OriginOverride);
  if (cors.AccessControlAllowCredentials) set('access-control-allow-credentials', 'true', cors.OriginOverride);
  const exposed = cors.AccessControlExposeHeaders?.Items;
  if (exposed !== undefined) set('access-control-expose-headers', exposed.join(','), cors.OriginOverride);
  return result;
}

function applySecurity(
  config: NonNullable<ResponseHeadersPolicy['SecurityHeadersConfig']>,
  set: (name: string, value: string, override: boolean) => void,
): void {
  const { ContentSecurityPolicy: csp, ContentTypeOptions, FrameOptions, ReferrerPolicy, XSSProtection: xss } = config;
  if (csp !== undefined) set('content-security-policy', csp.ContentSecurityPolicy, csp.Override);
  if (ContentTypeOptions !== undefined) set('x-content-type-options', 'nosniff', ContentTypeOptions.Override);
  if (FrameOptions !== undefined) set('x-frame-options', FrameOptions.FrameOption, FrameOptions.Override);
  if (ReferrerPolicy !== undefined) set('referrer-policy', ReferrerPolicy.ReferrerPolicy, ReferrerPolicy.Override);
  if (xss !== undefined) {
    set(
      'x-xss-protection',
      `${xss.Protection ? '1' : '0'}${xss.ModeBlock === true ? '; mode=block' : ''}`,
      xss.Override,
    );
  }
  const hsts = config.StrictTransportSecurity;
  if (hsts === undefined) return;
  const more = [
    hsts.IncludeSubdomains === true ? '; includeSubDomains' : '',
    hsts.Preload === true ? '; preload' : '',
  ].join('');
  set('strict-transport-security', `max-age=${hsts.AccessControlMaxAgeSec}${more}`, hsts.Override);
}
