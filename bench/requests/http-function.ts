import { httpEvent, lambdaContext } from '../../test/lambdas/invocation.ts';
import { type Contender, inLoops } from '../delivery/contender.ts';

type HttpHandler = (event: object, context: object) => Promise<{ readonly statusCode: number; readonly body: string }>;
type Settings = { readonly bundle: string; readonly headers: Record<string, string>; readonly atOnce: number };

let visitors = 0;

/** Runs the deployed bundle of a function of the API. Each request has a new visitor. */
export async function start({ bundle, headers, atOnce }: Settings): Promise<Contender> {
  const { handler }: { handler: HttpHandler } = await import(bundle);
  const body = { user_id: 'user-1', user_name: 'Zoë', context: { plan: 'pro' } };
  return inLoops(atOnce, async () => {
    const visitor = visitors++;
    const sourceIp = `10.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
    const answer = await handler(httpEvent({ headers, body, sourceIp }), lambdaContext());
    if (answer.statusCode !== 200) throw new Error(answer.body);
  });
}
