import { type Contender, type ContenderSettings, inLoops } from '../delivery/contender.ts';
import { lambdaContext } from '../setting/invocation.ts';

type HttpHandler = (event: object, context: object) => Promise<{ readonly statusCode: number; readonly body: string }>;

let visitors = 0;

/** Runs the deployed bundle of session create, or of widget init without a server secret. Each request has a new visitor. */
export async function start({ bundle = '', siteId, serverSecret, atOnce }: ContenderSettings): Promise<Contender> {
  const { handler }: { handler: HttpHandler } = await import(bundle);
  const headers: Record<string, string | undefined> =
    serverSecret === undefined
      ? { 'x-site-id': siteId, origin: 'https://shop.example.com' }
      : { 'x-server-key': serverSecret };
  return inLoops(atOnce, async () => {
    const visitor = visitors++;
    const sourceIp = `10.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
    const answer = await handler(
      httpEvent({ 'content-type': 'application/json', ...headers }, sourceIp),
      lambdaContext(),
    );
    if (answer.statusCode !== 200) throw new Error(answer.body);
  });
}

const httpEvent = (headers: object, sourceIp: string) => ({
  version: '2.0',
  routeKey: 'POST /',
  rawPath: '/',
  rawQueryString: '',
  headers,
  body: JSON.stringify({ user_id: 'user-1', user_name: 'Zoë', context: { plan: 'pro' } }),
  isBase64Encoded: false,
  requestContext: { http: { method: 'POST', path: '/', sourceIp }, requestId: 'bench' },
});
