import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { createContext, Script } from 'node:vm';
import * as z from 'zod';
import { matchesWildcard } from '../access/policies.ts';
import { CloudError, required } from '../cloud-error.ts';
import type { HttpAnswer, ListenerRequest } from '../listener.ts';
import { overHttp, type Resource, type Stack } from '../template/stack.ts';
import { decodedText, type Responder } from './api-gateway.ts';

/** The parts of a viewer's request that an origin receives. */
type Forwarded = Pick<ListenerRequest, 'path' | 'headers'>;
/** Answers a request of a viewer. A bucket knows the whole request, the API only what the behavior forwards. */
type Origin = (viewer: ListenerRequest, forwarded: Forwarded) => HttpAnswer | Promise<HttpAnswer>;
/** A header that replaces the origin's header, or is only added when the origin sent none. */
type AddedHeader = readonly [name: string, value: string, override: boolean];

/**
 * Returns what answers a request of a viewer as the CloudFront distribution does: behaviors by path, the parts of a request that each
 * forwards, and the headers that it adds.
 * @param api the HTTP API and its host, the only origin besides buckets
 * @throws CloudError when the distribution uses something that is not known here
 */
export function edge(
  { properties }: Resource<'AWS::CloudFront::Distribution'>,
  stack: Stack,
  api: { readonly host: string; readonly answer: Responder },
): Responder {
  const { Origins, CacheBehaviors, DefaultCacheBehavior, DefaultRootObject } = properties.DistributionConfig;
  const objects = readObjects(stack);
  const origins = new Map(
    Origins.map(({ Id, DomainName, OriginCustomHeaders }): [string, Origin] => {
      const bucket = stack.bucketOf(DomainName);
      if (bucket !== undefined) return [Id, bucketOrigin(objects, bucket)];
      if (DomainName !== api.host) throw new CloudError(`The local cloud does not know the origin ${DomainName}`);
      const addedHeaders = OriginCustomHeaders.map(({ HeaderName, HeaderValue }) => [
        HeaderName.toLowerCase(),
        HeaderValue,
      ]);
      return [Id, apiOrigin(api.answer, { host: api.host, ...Object.fromEntries(addedHeaders) })];
    }),
  );
  const behaviors = [...CacheBehaviors, { ...DefaultCacheBehavior, PathPattern: '*' }].map((behavior) => {
    const { TargetOriginId } = behavior;
    return {
      pattern: behavior.PathPattern,
      origin: required(origins.get(TargetOriginId), `The distribution has no origin ${TargetOriginId}`),
      methods: behavior.AllowedMethods,
      forward: forwarderOf(stack, behavior.OriginRequestPolicyId),
      added: addedHeaders(stack, behavior.ResponseHeadersPolicyId),
      rewrite: viewerFunction(stack, behavior.FunctionAssociations[0]?.FunctionARN),
    };
  });

  return async (request) => {
    const [path = '/', ...query] = request.path.split('?');
    const plainPath = normalizedPath(path);
    const behavior = behaviors.find(({ pattern }) => matchesWildcard(pattern, plainPath));
    if (behavior?.methods.includes(request.method) !== true)
      return refusal('The distribution does not allow the method');
    const requestedPath = path === '/' ? `/${DefaultRootObject}` : path;
    const viewer = { ...request, path: [behavior.rewrite(request, requestedPath), ...query].join('?') };
    const answer = await behavior.origin(viewer, behavior.forward(viewer));
    const headers = { ...answer.headers };
    for (const [name, value, override] of behavior.added) {
      // CloudFront adds this one only to the answer of a cross-origin request.
      if (name === 'access-control-allow-origin' && request.headers.origin === undefined) continue;
      if (override || headers[name] === undefined) headers[name] = value;
    }
    return { ...answer, headers };
  };
}

/** The path as RFC 3986 has it, without repeated slashes, finds the behavior. The origin gets the viewer's own. */
function normalizedPath(path: string): string {
  // Letters, digits and - . _ ~
  const unreserved = path.replaceAll(/%(2d|2e|5f|7e|3\d|[46][1-9a-f]|[57][\da])/gi, decodeURIComponent);
  return URL.parse(unreserved.replaceAll(/\/{2,}/g, '/'), 'http://edge')?.pathname ?? path;
}

/** A missing object is refused, because without the permission to list, S3 does not disclose it. A preflight asks for none. */
const bucketOrigin =
  (objects: ReadonlyMap<string, StoredObject>, bucket: string): Origin =>
  ({ method, path, headers }, preflight) => {
    if (method === 'OPTIONS') {
      if (!preflight.headers['access-control-request-method']) return refusal('CORSResponse');
      const allowedHeaders = preflight.headers['access-control-request-headers'] ?? '';
      return { status: 200, headers: { 'access-control-allow-headers': allowedHeaders }, body: '' };
    }
    const object = objects.get(bucket + (decodedText(path.split('?')[0] ?? '') ?? ''));
    if (object === undefined) return refusal('Access Denied');
    const isUnchanged = headers['if-none-match'] === object.headers.etag;
    return { status: isUnchanged ? 304 : 200, headers: object.headers, body: object.body };
  };

const apiOrigin =
  (answer: Responder, addedHeaders: Readonly<Record<string, string>>): Origin =>
  (viewer, { path, headers }) => {
    const own = {
      'user-agent': 'Amazon CloudFront',
      via: '1.1 local (CloudFront)',
      'x-forwarded-for': viewer.client.address,
    };
    const client = { address: '127.0.0.1', port: 0 };
    return answer({ ...viewer, path, headers: { ...headers, ...own, ...addedHeaders }, client });
  };

const VIEWER_ADDRESS = 'cloudfront-viewer-address';

/** Headers that are never forwarded unchanged, besides those that CloudFront sets. */
const NEVER_FORWARDED =
  /^(connection|keep-alive|transfer-encoding|content-length|date|host|user-agent|via|x-forwarded-for|expect|upgrade|cloudfront-.*)$/;

/** The managed policy CORS-S3Origin, and what it forwards. */
const CORS_S3_ORIGIN = '88a5eaf4-2fd4-4709-b370-b4c650ea3fcf';
const PREFLIGHT_HEADERS = ['Origin', 'Access-Control-Request-Headers', 'Access-Control-Request-Method'];

/** Takes from a request what the policy with this id forwards; without an id, the path. @throws CloudError on an unknown id */
function forwarderOf(stack: Stack, id: string | undefined): (viewer: ListenerRequest) => Forwarded {
  const own = stack.all('AWS::CloudFront::OriginRequestPolicy').find(({ ref }) => ref === id);
  if (own === undefined && id !== undefined && id !== CORS_S3_ORIGIN) {
    throw new CloudError(`The local cloud does not know the origin request policy ${id}`);
  }
  const { HeadersConfig, QueryStringsConfig, CookiesConfig } = own?.properties.OriginRequestPolicyConfig ?? {};
  const isAll = HeadersConfig?.HeaderBehavior === 'allExcept';
  const forwardedNames = HeadersConfig?.Headers ?? (id === CORS_S3_ORIGIN ? PREFLIGHT_HEADERS : []);
  const names = new Set(forwardedNames.map((name) => name.toLowerCase()));
  const parameters = QueryStringsConfig?.QueryStrings;
  return ({ path: target, headers, client }) => {
    const [path = '', ...query] = target.split('?');
    const pairs = query.join('?').split('&');
    const isKept = (pair: string) => parameters?.includes(decodedText(pair.split('=')[0] ?? '') ?? '') === true;
    const keptPairs = QueryStringsConfig?.QueryStringBehavior === 'all' ? pairs : pairs.filter(isKept);
    const search = keptPairs.join('&');
    const forwardedHeaders = Object.entries(headers).filter(([name]) =>
      name === 'cookie'
        ? CookiesConfig?.CookieBehavior === 'all'
        : names.has(name) !== isAll && !NEVER_FORWARDED.test(name),
    );
    // A viewer cannot set the headers that CloudFront sets.
    if (!isAll && names.has(VIEWER_ADDRESS))
      forwardedHeaders.push([VIEWER_ADDRESS, `${client.address}:${client.port}`]);
    return { path: search === '' ? path : `${path}?${search}`, headers: Object.fromEntries(forwardedHeaders) };
  };
}

/** @throws CloudError on an unknown id */
function addedHeaders(stack: Stack, id: string | undefined): readonly AddedHeader[] {
  if (id === undefined) return [];
  const own = stack.all('AWS::CloudFront::ResponseHeadersPolicy').find(({ ref }) => ref === id);
  const { properties } = required(own, `The local cloud does not know the response headers policy ${id}`);
  const { CorsConfig, CustomHeadersConfig, SecurityHeadersConfig } = properties.ResponseHeadersPolicyConfig;
  const { ContentSecurityPolicy: csp, ContentTypeOptions, FrameOptions, ReferrerPolicy } = SecurityHeadersConfig;
  const { AccessControlMaxAgeSec, Override: overridesHsts } = SecurityHeadersConfig.StrictTransportSecurity;
  const headers: AddedHeader[] = [
    ['x-content-type-options', 'nosniff', ContentTypeOptions.Override],
    ['x-frame-options', FrameOptions.FrameOption, FrameOptions.Override],
    ['referrer-policy', ReferrerPolicy.ReferrerPolicy, ReferrerPolicy.Override],
    ['strict-transport-security', `max-age=${AccessControlMaxAgeSec}`, overridesHsts],
  ];
  if (csp !== undefined) headers.push(['content-security-policy', csp.ContentSecurityPolicy, csp.Override]);
  if (CorsConfig !== undefined) headers.push(['access-control-allow-origin', '*', true], ['vary', 'Origin', true]);
  for (const { Header, Value, Override } of CustomHeadersConfig.Items) {
    headers.push([Header.toLowerCase(), Value, Override]);
  }
  return headers;
}

const rewritten = z.object({ uri: z.string() });

/**
 * Returns what gives the path for the origin: it runs the CloudFront function with this ARN on a viewer's request, with its code from the
 * template, in a realm without the objects of Node. In the local cloud, the function can only change the path,
 * and sees neither query nor cookies. Without an ARN, the path is the viewer's.
 * @throws CloudError when the template has no such function, or its code defines no handler
 */
function viewerFunction(stack: Stack, arn: string | undefined) {
  if (arn === undefined) return (_: ListenerRequest, path: string): string => path;
  const definition = stack.all('AWS::CloudFront::Function').find(({ ref }) => ref === arn);
  const { FunctionCode } = required(definition, `The template has no function ${arn}`).properties;
  const realm = createContext({});
  const code = `${FunctionCode}\nglobalThis.call = (event) => JSON.stringify(handler(JSON.parse(event)));`;
  new Script(code).runInContext(realm);
  const call: unknown = realm.call;
  if (typeof call !== 'function') throw new CloudError(`The function ${arn} has no handler`);
  return ({ method, headers, client }: ListenerRequest, uri: string): string => {
    const values = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]));
    const request = { method, uri, querystring: {}, headers: values, cookies: {} };
    const viewer = { ip: client.address };
    const event = { version: '1.0', context: { eventType: 'viewer-request' }, viewer, request };
    return rewritten.parse(JSON.parse(String(call(JSON.stringify(event))))).uri;
  };
}

const refusal = (text: string): HttpAnswer => ({ status: 403, headers: { 'content-type': 'text/plain' }, body: text });

type StoredObject = { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> };

/** By the end of a file's name, as the upload of a BucketDeployment guesses them. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
};

/** The objects that the stack's bucket deployments upload, by `<bucket>/<key>`. @throws CloudError on unknown assets */
function readObjects(stack: Stack): ReadonlyMap<string, StoredObject> {
  const objects = new Map<string, StoredObject>();
  for (const { properties: deployment } of stack.all('Custom::CDKBucketDeployment')) {
    const prefix = join(deployment.DestinationBucketName, deployment.DestinationBucketKeyPrefix);
    for (const [index, key] of deployment.SourceObjectKeys.entries()) {
      const folder = stack.assetPath(key);
      for (const file of filesBelow(folder)) {
        const inJson = deployment.SourceMarkersConfig[index]?.jsonEscape === true;
        const body = fillMarkers(readFileSync(join(folder, file)), deployment.SourceMarkers[index] ?? {}, inJson);
        const etag = `"${createHash('md5').update(body).digest('hex')}"`;
        const type = CONTENT_TYPES[extname(file)] ?? 'binary/octet-stream';
        const headers = { 'content-type': type, etag, ...deployment.SystemMetadata };
        objects.set(join(prefix, file), { body, headers });
      }
    }
  }
  return objects;
}

/** Replaces the markers in an asset by values that are known only at deploy time. In JSON, the values are escaped. */
function fillMarkers(body: Buffer, markers: Readonly<Record<string, string>>, inJson: boolean): Buffer {
  if (Object.keys(markers).length === 0) return body;
  let text = body.toString('utf8');
  for (const [marker, value] of Object.entries(markers)) {
    text = text.replaceAll(marker, () => (inJson ? JSON.stringify(value).slice(1, -1) : value));
  }
  return Buffer.from(overHttp(text));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
