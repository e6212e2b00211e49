import { closeServer, type Received, type ReceivedAction, receiverServer } from '../../cli/receiver.ts';
import type { UsageReport } from '../../packages/receiver/src/index.ts';
import { listenNear } from '../cloud/listener.ts';
import type { ReceiverCertificates } from '../receiver-certificates.ts';
import type { Feed } from './feed.ts';

export type Receiver = {
  readonly port: number;
  /** By path; a path without an Action is unknown. */
  readonly actions: Map<string, ReceivedAction>;
  stop(): Promise<void>;
};

/** Where the usage webhook of the members' sessions leads. */
export const USAGE_PATH = '/members/usage';

/** What is shown of a request. */
const SHOWN_HEADERS = [
  'X-Service-Signature',
  'X-Service-Trigger',
  'X-Service-Trigger-Ref',
  'X-Webhook-Signature',
  'X-Webhook-Timestamp',
];

/** What Northwind Bikes pays for one conversation: about eight questions. */
export const BUDGET_TOKENS = 4000;
const ORDERS: Readonly<Record<number, string>> = { 1001: 'ready for pick-up', 1002: 'on its way' };

/**
 * Starts the customer's endpoint. It accepts verified requests, once per envelope id, submission id or nonce, and shows all requests.
 * @param fail how many requests of each event get a 503 before one is accepted, to show retries
 */
export async function startReceiver(options: {
  readonly certificates: ReceiverCertificates;
  readonly preferredPort: number;
  readonly fail: number;
  readonly usageSecret: string;
  readonly feed: Feed;
}): Promise<Receiver> {
  const { certificates, feed, fail, usageSecret } = options;
  const actions: Receiver['actions'] = new Map();
  /** Tokens by user since their conversation began. */
  const spent = new Map<string, number>();
  let number = 0;

  const server = receiverServer({
    tls: { cert: certificates.certificate, key: certificates.key },
    actionsAt: async (path) => [actions.get(path) ?? []].flat(),
    usageSecret,
    now: () => new Date(),
    answer: ({ verdict, arrivals }) => {
      // A duplicate also gets a 2xx, but is not processed again.
      const isNew = !arrivals.accepted;
      if (verdict.kind === 'usage') return reply(spendOn(verdict.report, isNew));
      const { trigger, body } = verdict.request;
      if (trigger === 'event' && arrivals.count <= fail) return { status: 503, body: '{"message":"not accepted"}' };
      // The next conversation of a visitor has a budget of its own.
      if (trigger === 'event' && isNew && body?.event === 'conversation.started') {
        spent.delete(String(body.data.visitor_id));
      }
      // An AI-decided Action feeds its answer back to the assistant.
      if (trigger !== 'ai') return reply({ message: 'accepted' });
      const order = Number(body?.number);
      return reply({ order: { number: order, status: ORDERS[order] ?? 'not one of ours' } });
    },
    onRequest: ({ at, path, headers, body, verdict, key, arrivals }, status) => {
      if (status === 404) return;
      number += 1;
      feed.push({
        number,
        at: at.toISOString(),
        path,
        action: actions.get(path)?.name ?? '',
        trigger: path === USAGE_PATH ? 'usage' : String(headers['x-service-trigger'] ?? ''),
        triggerRef: String(headers['x-service-trigger-ref'] ?? ''),
        key: key ?? '',
        headers: shown(headers),
        verified: verdict.kind !== 'refused',
        problem: verdict.kind === 'refused' ? verdict.problem : '',
        answered: status,
        duplicate: arrivals.accepted,
        arrival: arrivals.count,
        sinceFirstMs: Number(at) - Number(arrivals.firstAt),
        body,
      });
    },
  });

  /** Keeps the account of what a user's conversation costs. The answer may stop the conversation. */
  function spendOn({ user_id, usage }: UsageReport, isNew: boolean): object {
    const tokens = (spent.get(user_id) ?? 0) + (isNew ? usage.total_tokens : 0);
    spent.set(user_id, tokens);
    return { should_continue: tokens < BUDGET_TOKENS };
  }

  const port = await listenNear(server, options.preferredPort);
  return { port, actions, stop: () => closeServer(server) };
}

const reply = (body: object) => ({ status: 200, body: JSON.stringify(body) });

function shown(headers: Received['headers']): Record<string, string> {
  const pairs = SHOWN_HEADERS.map((name) => [name, headers[name.toLowerCase()]]);
  return Object.fromEntries(pairs.filter(([, value]) => typeof value === 'string'));
}
