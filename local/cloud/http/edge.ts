import type { IncomingMessage } from 'node:http';
import { Pool } from 'undici';
import { matchesWildcard } from '../access/wildcards.ts';
import { CloudError } from '../cloud-error.ts';
import { type HttpAnswer, readBody } from '../listener.ts';
import type { Resource, Stack } from '../template/stack.ts';
import type { StoredObject } from './bucket-objects.ts';
import {
  applyResponsePolicy,
  type OriginRequestPolicy,
  originRequestPolicy,
  type ResponseHeadersPolicy,
  responseHeadersPolicy,
} from './edge-policies.ts';
import { decoded } from './routes.ts';
import { ViewerFunction } from './viewer-function.ts';

/** CloudFront's limit for a viewer's request. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** What the distribution asks of an origin. */
type OriginRequest = {
  readonly viewer: IncomingMessage;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  readonly policy: OriginRequestPolicy;
};
type Origin = (request: OriginRequest) => Promise<HttpAnswer>;

type Behavior = {
  readonly pattern: string;
  readonly origin: Origin;
  readonly methods: readonly string[];
  readonly requestPolicy: OriginRequestPolicy;
  readonly responsePolicy: ResponseHeadersPolicy;
  readonly viewerFunction: ViewerFunction | undefined;
};

/** Emulates the CloudFront distribution: behaviors by path, the parts of a request that each forwards, and the headers that it adds. */
export class Edge {
  readonly #behaviors: readonly Behavior[];
  readonly #pools: Pool[] = [];

  /** @throws CloudError when the distribution uses something that is not known here */
  constructor(
    { properties }: Resource<'AWS::CloudFront::Distribution'>,
    stack: Stack,
    buckets: ReadonlyMap<string, ReadonlyMap<string, StoredObject>>,
  ) {
    const { Origins, CacheBehaviors, DefaultCacheBehavior } = properties.DistributionConfig;
    const origins = new Map(
      Origins.map(({ Id, DomainName, OriginCustomHeaders }): [string, Origin] => {
        const bucket = stack.bucketOf(DomainName);
        if (bucket !== undefined) return [Id, bucketOrigin(buckets.get(bucket) ?? new Map())];
        if (!DomainName.startsWith('127.0.0.1:')) {
          throw new CloudError(`The local cloud does not know the origin ${DomainName}`);
        }
        const pool = new Pool(`http://${DomainName}`, { connections: 64 });
        this.#pools.push(pool);
        const headers = OriginCustomHeaders.map(({ HeaderName, HeaderValue }) => [
          HeaderName.toLowerCase(),
          HeaderValue,
        ]);
        return [Id, httpOrigin(pool, Object.fromEntries(headers))];
      }),
    );
    const all = [...CacheBehaviors, { ...DefaultCacheBehavior, PathPattern: '*' }];
    this.#behaviors = all.map((behavior): Behavior => {
      const origin = origins.get(behavior.TargetOriginId);
      if (origin === undefined) throw new CloudError(`The distribution has no origin ${behavior.TargetOriginId}`);
      return {
        pattern: behavior.PathPattern,
        origin,
        methods: behavior.AllowedMethods,
        requestPolicy: originRequestPolicy(stack, behavior.OriginRequestPolicyId),
        responsePolicy: responseHeadersPolicy(stack, behavior.ResponseHeadersPolicyId),
        viewerFunction: viewerFunction(stack, behavior.FunctionAssociations[0]?.FunctionARN),
      };
    });
  }

  /** Answers one request of a viewer. */
  async answer(request: IncomingMessage): Promise<HttpAnswer> {
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body === undefined) return page(413, 'Request Entity Too Large');
    const [path = '/', ...query] = (request.url ?? '/').split('?');
    const behavior = this.#behaviors.find(({ pattern }) => matchesWildcard(pattern, path, { ignoreCase: false }));
    if (behavior === undefined) return page(404, 'Not Found');
    if (!behavior.methods.includes(request.method ?? 'GET')) {
      return page(
        403,
        'This distribution is not configured to allow the HTTP request method that was used for this request.',
      );
    }
    const answer = await behavior.origin({
      viewer: request,
      path: behavior.viewerFunction?.path(request, path) ?? path,
      query: query.join('?'),
      body,
      policy: behavior.requestPolicy,
    });
    const headers = applyResponsePolicy(behavior.responsePolicy, request.headers.origin, answer.headers);
    return { ...answer, headers };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

function viewerFunction(stack: Stack, arn: string | undefined): ViewerFunction | undefined {
  if (arn === undefined) return undefined;
  const fn = stack.all('AWS::CloudFront::Function').find(({ ref }) => ref === arn);
  if (fn === undefined) throw new CloudError(`The template has no function ${arn}`);
  return new ViewerFunction(arn, fn.properties.FunctionCode);
}

/** A missing object is refused, because without the permission to list, S3 does not disclose it. */
const bucketOrigin =
  (objects: ReadonlyMap<string, StoredObject>): Origin =>
  async ({ viewer, path }) => {
    const object = objects.get(decoded(path.slice(1)) ?? '');
    if (object === undefined) {
      const body =
        '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
      return { status: 403, headers: { 'content-type': 'application/xml' }, body };
    }
    const same = viewer.headers['if-none-match'] === object.headers.etag;
    return { status: same ? 304 : 200, headers: object.headers, body: object.body };
  };

const httpOrigin =
  (pool: Pool, added: Readonly<Record<string, string>>): Origin =>
  async ({ viewer, path, query, body, policy }) => {
    const kept = forwardedQuery(policy, query);
    const response = await pool.request({
      method: viewer.method ?? 'GET',
      path: kept === '' ? path : `${path}?${kept}`,
      headers: {
        ...forwardedHeaders(policy, viewer),
        'user-agent': 'Amazon CloudFront',
        via: '1.1 local (CloudFront)',
        'x-forwarded-for': viewer.socket.remoteAddress ?? '',
        ...added,
      },
      body: body.length === 0 ? null : body,
    });
    const answer: Record<string, string | readonly string[]> = {};
    for (const [name, value] of Object.entries(response.headers)) {
      if (value !== undefined && !HOP_BY_HOP.has(name)) answer[name] = value;
    }
    return { status: response.statusCode, headers: answer, body: Buffer.from(await response.body.arrayBuffer()) };
  };

const HOP_BY_HOP: ReadonlySet<string> = new Set(
  'connection keep-alive transfer-encoding content-length date'.split(' '),
);
/** Headers that are never forwarded unchanged: those of the connection, and those that CloudFront sets. */
const OWN: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...'host user-agent via x-forwarded-for expect upgrade'.split(' '),
]);

const VIEWER_ADDRESS = 'cloudfront-viewer-address';

function forwardedHeaders(
  { headers: { which, names } }: OriginRequestPolicy,
  { headers, socket }: IncomingMessage,
): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    // A viewer cannot set the headers that CloudFront sets.
    if (value === undefined || OWN.has(name) || name.startsWith('cloudfront-')) continue;
    if ((which === 'only') !== names.has(name)) continue;
    forwarded[name] = typeof value === 'string' ? value : value.join(',');
  }
  if (which === 'only' && names.has(VIEWER_ADDRESS)) {
    forwarded[VIEWER_ADDRESS] = `${socket.remoteAddress}:${socket.remotePort}`;
  }
  return forwarded;
}

function forwardedQuery({ query: kept }: OriginRequestPolicy, query: string): string {
  if (kept === 'all') return query;
  return query
    .split('&')
    .filter((pair) => kept.has(decoded(pair.split('=')[0] ?? '') ?? ''))
    .join('&');
}

const page = (status: number, text: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<!doctype html><title>${status}</title><p>${text}</p>`,
});
