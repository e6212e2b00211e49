import { closeServer, type ReceivedAction, type ReceiverRequest, receiverServer } from '../../cli/receiver.ts';
import { EVENT_ATTEMPTS } from '../../src/contract/limits.ts';
import type { ReceiverCertificate } from '../certificates.ts';
import { listenNear } from '../cloud/listener.ts';

export type DemoReceiver = Awaited<ReturnType<typeof startDemoReceiver>>;

/** Where the usage webhook of the members' sessions leads. */
export const USAGE_PATH = '/members/usage';
/** The event that the page lets fail, as often as `failures` of its data says. One Action is subscribed to it. */
export const FAILING_EVENT = 'appointment.booked';
/** What Northwind Bikes pays for one conversation: about eight questions. */
export const BUDGET_TOKENS = 4000;
const PREFERRED_PORT = 8789;
const KEPT_REQUESTS = 100;
const SHOWN_HEADERS = /^x-(service|webhook)-/;
const ORDERS: Readonly<Record<number, string>> = { 1001: 'ready for pick-up', 1002: 'on its way' };

/** Accepts each verified request once per envelope id, submission id or nonce, and shows all requests. */
export async function startDemoReceiver(certificate: ReceiverCertificate | undefined, usageSecret: string) {
  /** By path; a path without an Action is unknown. */
  const actions = new Map<string, ReceivedAction>();
  const recent: ShownRequest[] = [];
  const watchers = new Set<(request: ShownRequest) => void>();
  /** Tokens by user since their conversation began. */
  const tokensByUser = new Map<string, number>();
  let number = 0;

  const server = receiverServer({
    tls: { cert: certificate?.certificate ?? '', key: certificate?.key ?? '' },
    actionsAt: async (path) => [actions.get(path) ?? []].flat(),
    usageSecret,
    now: () => new Date(),
    answer: ({ verdict, arrivals }) => {
      // Whether no earlier arrival of this request was accepted. A duplicate also gets a 2xx, but is not processed again.
      const isNew = !arrivals.isAccepted;
      if (verdict.kind === 'usage') {
        const { user_id, usage } = verdict.report;
        const tokens = (tokensByUser.get(user_id) ?? 0) + (isNew ? usage.total_tokens : 0);
        tokensByUser.set(user_id, tokens);
        return reply({ should_continue: tokens < BUDGET_TOKENS });
      }
      const { trigger, body } = verdict.request;
      // The first attempts fail on purpose, to show retries.
      if (trigger === 'event' && body?.event === FAILING_EVENT && arrivals.count <= Number(body.data.failures))
        return { status: 503, body: '{"message":"not accepted"}' };
      // The next conversation of a visitor has a budget of its own.
      if (trigger === 'event' && isNew && body?.event === 'conversation.started') {
        tokensByUser.delete(String(body.data.visitor_id));
      }
      // An AI-decided Action feeds its answer back to the assistant.
      if (trigger !== 'ai') return reply({ message: 'accepted' });
      const order = Number(body?.number);
      return reply({ order: { number: order, status: ORDERS[order] ?? 'not one of ours' } });
    },
    onRequest: (arrival, { status: answerStatus }) => {
      if (answerStatus === 404) return;
      number += 1;
      const action = actions.get(arrival.path);
      // Several Actions may receive an event, under the same key.
      const previousArrival = recent.findLast((one) => one.key === arrival.key && one.action === action?.name);
      const request = shownRequest(arrival, number, action, answerStatus, previousArrival?.at);
      recent.push(request);
      if (recent.length > KEPT_REQUESTS) recent.shift();
      for (const watcher of watchers) watcher(request);
    },
  });

  return {
    url: `https://localhost:${await listenNear(server, PREFERRED_PORT)}`,
    actions,
    /** Calls `watcher` with the latest hundred and all later requests. @returns a function that ends the calls */
    watch(watcher: (request: ShownRequest) => void) {
      for (const request of recent) watcher(request);
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    stop: () => closeServer(server),
  };
}

const reply = (body: object) => ({ status: 200, body: JSON.stringify(body) });

type ShownRequest = ReturnType<typeof shownRequest>;

/** @param action undefined for usage webhooks @param previousAt when a request with its key came before */
function shownRequest(
  arrival: ReceiverRequest,
  number: number,
  action: ReceivedAction | undefined,
  answerStatus: number,
  previousAt: string | undefined,
) {
  const { at, headers, body } = arrival;
  const proof = Object.entries(headers).filter(([name]) => SHOWN_HEADERS.test(name));
  const [title, note] = wordsFor(arrival);
  return {
    number,
    at: at.toISOString(),
    title,
    key: arrival.key,
    action: action?.name ?? '',
    attempt: attemptOf(arrival, previousAt),
    command:
      action && arrival.key !== null
        ? `npx --no-install va-wave deliveries ${action.action_id} ${arrival.key} --local`
        : '',
    outcome: outcomeOf(arrival, answerStatus),
    answered: answerStatus,
    note,
    body,
    headers: proof.map(([name, value]) => `${name}: ${value}`).join('\n'),
  };
}

/** A key of `OUTCOMES` in demo.js. A 503 is the failure that the visitor asked for. */
function outcomeOf({ verdict, arrivals }: ReceiverRequest, answered: number): string {
  if (verdict.kind === 'refused') return 'refused';
  if (answered === 503) return 'failed';
  return arrivals.isAccepted ? 'duplicate' : 'accepted';
}

/** Says which attempt of an event this is, and how long after the one before it came. Other requests have one attempt. */
function attemptOf({ at, verdict, arrivals: { count } }: ReceiverRequest, previousAt: string | undefined): string {
  if (verdict.kind !== 'action' || verdict.request.trigger !== 'event') return '';
  const pause =
    previousAt === undefined ? '' : `, ${((at.getTime() - Date.parse(previousAt)) / 1000).toFixed(1)} s later`;
  return `attempt ${count} of ${EVENT_ATTEMPTS}${pause}`;
}

/** The title says what the request is; the note, by what the receiver recognizes repeats, or why it refused the request. */
function wordsFor({ at, path, verdict, key, arrivals }: ReceiverRequest): readonly [title: string, note: string] {
  const place = path.split('/').at(-1);
  const seconds = ((Number(at) - Number(arrivals.firstAt)) / 1000).toFixed(1);
  const again = arrivals.count === 1 ? '' : `, arrival ${arrivals.count}, ${seconds} s after the first.`;
  if (verdict.kind === 'refused') return [`request to ${place}`, `Not verified: ${verdict.problem}.`];
  if (verdict.kind === 'usage') return ['usage report', `Nonce ${key}${again}`];
  const { trigger, triggerRef } = verdict.request;
  if (trigger === 'event') return [triggerRef, `Envelope ${key}${again}`];
  if (trigger === 'form') return [`form ${place}`, `Submission ${key}${again}`];
  return [`AI-decided ${place}`, `Conversation ${triggerRef}. The assistant is given a field of the answer.`];
}
