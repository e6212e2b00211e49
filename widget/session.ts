import type { ErrorCode } from '../src/contract/errors.ts';
import type { PublicBody } from '../src/contract/public-operations.ts';
import type { InitResponse } from '../src/contract/widget.ts';
import { type Answer, apiClient, isInitResponse, jsonObject, type Refused, submissionId } from './api.ts';
import { nextEvent } from './events.ts';
import { emit, type Settings } from './page.ts';
import { ownTab, perBrowser, perTab } from './storage.ts';
import type { VaWaveCredential } from './va-wave.d.ts';

/** How long the page has to set a new token before the widget shows that the session has expired. */
const RENEWAL_MS = 5000;
/** A page whose new tokens are refused too is asked no more often than this for one request. */
const RENEWALS_PER_REQUEST = 2;
/** The service answers 409 while an earlier attempt of the same submission waits for the endpoint, which is for 5 s at most. */
const IN_PROGRESS_DELAY_MS = 1500;
const IN_PROGRESS_RETRIES = 4;

/** How often init is repeated at the start while nothing decides it. */
const REPEATS = 5;
/** The hourly limit names the next hour. If all pages waited for that hour, they would all come back in the same second. */
const LONGEST_RETRY_AFTER_S = 300;

const UNKNOWN_CONVERSATION: ErrorCode = 'conversation_unknown';
/** The codes of refusals after which a session token can make the next request succeed. */
const NEEDS_TOKEN = /^(credentials|session_token)_required$/;
/** The id of a user whom the customer's backend did not name. Each session token has another one. */
const GUEST = /^anon_.*/;
/** Matches an error code followed by the status when they decide nothing: no code of the service, or one of these statuses. */
const UNDECIDED = /^\d|(408|429|5..)$/;

/** The result of a submission. A kind without further data is also the name of the text that tells the visitor of it. */
export type Outcome =
  | { readonly kind: 'sent'; readonly submissionId: string }
  | { readonly kind: 'offline' | 'busy' | 'failed' }
  | { readonly kind: 'invalid'; readonly refused: Refused }
  /** `untilRenewed` resolves when the page sets a new token later. */
  | { readonly kind: 'expired'; readonly untilRenewed: Promise<unknown> };

/** Called with true when the page is asked for a new token, and with false when it has set one or the wait is over. */
type OnRenewal = (asking: boolean) => void;

export type Session = ReturnType<typeof openSession>;

/**
 * Opens the session of one visitor, whom the site id or the session token identifies. The token takes precedence. The visitor can see
 * both. Another visitor gets another session.
 * @param awaitingToken whether the page owes a token for a visitor. The sessions of a page share it
 */
export function openSession(settings: Settings, awaitingToken: Record<string, boolean>) {
  const { post, end } = apiClient(settings);
  let ended = false;
  let { token } = settings;
  /** Dispatches `set` when the page sets a token. */
  const tokens = new EventTarget();
  /** The question that waits for the page's answer, at most 5 seconds. */
  let renewal: Promise<boolean> | undefined;
  let conversationId: string | null = null;
  /** The request that begins the conversation, while it has no answer. */
  let beginning: Promise<Answer<InitResponse>> | undefined;

  /** `site/user`, which each later token of the session must also have. */
  const visitor = visitorOf(token);
  const siteId = token ? visitor.replace(/\/.*/s, '') : (settings.siteId ?? '');
  const credential = (): VaWaveCredential =>
    token ? { 'X-Session-Token': token } : { 'X-Site-Id': settings.siteId ?? '' };
  // After a 401 the page can do nothing but renew its token, so every 401 with a token counts as an expired one.
  const isExpired = ({ status }: Answer<unknown>) => status === 401 && !!token;

  const nextToken = () => nextEvent(tokens, 'set');

  /** Asks the page for a new token. Calls at the same time share one event. Resolves to false after 5 seconds without a token. */
  const renewToken = (): Promise<boolean> => {
    if (renewal) return renewal;
    renewal = Promise.race([nextToken(), pause(RENEWAL_MS)]).then((event) => {
      renewal = undefined;
      awaitingToken[visitor] = false;
      return !!event;
    });
    awaitingToken[visitor] = true;
    emit('va-wave:token-expired', null);
    return renewal;
  };

  /** Repeats a request whose token was refused with the new token of the page. */
  const renewing = async <T>(request: () => Promise<Answer<T>>, onRenewal?: OnRenewal): Promise<Answer<T>> => {
    for (let renewals = 0; ; renewals++) {
      const used = token;
      const answer = await request();
      if (!isExpired(answer) || renewals === RENEWALS_PER_REQUEST) return answer;
      // Another request may have renewed the token while this request was in progress.
      if (token !== used) continue;
      onRenewal?.(true);
      const renewed = await renewToken();
      onRenewal?.(false);
      if (!renewed) return answer;
    }
  };

  const site = encodeURIComponent(siteId);
  const conversationKey = `${siteId}:conversation`;
  const visitorKey = `${siteId}:visitor`;
  /** @param begins whether a conversation begins when the tab has none to resume */
  const init = async (begins: boolean): Promise<Answer<InitResponse>> => {
    const body: PublicBody<'initWidget'> = {
      conversation_id: identifier(perTab.get(conversationKey)),
      visitor_id: token ? null : identifier(perBrowser.get(visitorKey)),
      referrer: document.referrer,
      begin_conversation: begins,
    };
    const answer = await post('init', `/api/widget/init?site=${site}`, credential(), JSON.stringify(body), (given) =>
      isInitResponse(given) ? given : undefined,
    );
    if (answer.granted) {
      ownTab(siteId, token ? answer.granted.visitor_id.replace(GUEST, '') : '');
      conversationId = answer.granted.conversation_id;
      perTab.set(conversationKey, conversationId);
      // With a token the visitor is the customer's user, whose id must not stay in the browser after a log-out.
      if (!token) perBrowser.set(visitorKey, answer.granted.visitor_id);
    }
    return answer;
  };

  /** Starts a conversation if there is none. Resolves to the answer of a failure, or to undefined when there is a conversation. */
  const ensureConversation = async (onRenewal?: OnRenewal): Promise<Answer<unknown> | undefined> => {
    if (conversationId) return undefined;
    beginning ??= renewing(() => init(true), onRenewal).finally(() => {
      beginning = undefined;
    });
    const answer = await beginning;
    return conversationId ? undefined : answer;
  };

  const failureOf = (answer: Answer<unknown>): Outcome => {
    if (isExpired(answer)) return { kind: 'expired', untilRenewed: nextToken() };
    return { kind: answer.status === 0 ? 'offline' : answer.status === 429 ? 'busy' : 'failed' };
  };

  /** Resolves after the pause, or at once when the browser is online again, but not while the page is hidden or offline, and never after `end`. */
  const nextAttempt = (ms: number) =>
    new Promise<void>((resolve) => {
      let due = false;
      const check = (event?: Event) => {
        due ||= event?.type !== 'visibilitychange';
        if (!due || document.hidden || !navigator.onLine) return;
        removeEventListener('online', check);
        document.removeEventListener('visibilitychange', check);
        if (!ended) resolve();
      };
      addEventListener('online', check);
      document.addEventListener('visibilitychange', check);
      setTimeout(check, ms);
    });

  return {
    siteId,
    credential,
    renewToken,
    /** Whether the visitor is none of the customer's users. */
    isGuest: !/\/./s.test(visitor),
    /** Whether a token identifies the visitor, now and after each renewal. */
    hasToken: !!token,
    /**
     * Authenticates and resumes the tab's conversation, but starts none. Asks the page for another token where it is refused, and waits for
     * one where it is refused or missing. Repeats what is no decision: no answer, 408, 429, 5xx, and what has no code of the service, as the page of a
     * firewall or of a service worker. Resolves to undefined after a decision against the page, and when it gives up.
     */
    start: async (): Promise<InitResponse | undefined> => {
      for (let repeats = 0; ; ) {
        const answer: Answer<InitResponse> = await renewing(() => init(false));
        const { status, granted, refused, retryAfter } = answer;
        if (granted || ended) return granted;
        if (isExpired(answer) || NEEDS_TOKEN.test(refused.code)) {
          await nextToken();
          repeats = 0;
        } else if (UNDECIDED.test(refused.code + status) && repeats < REPEATS && retryAfter <= LONGEST_RETRY_AFTER_S) {
          // One to two times the longer of both: the service's wish, or half a second that doubles. Pages then do not come back at once.
          await nextAttempt(1000 * (1 + Math.random()) * Math.max(retryAfter, 2 ** repeats++ / 2));
        } else return undefined;
      }
    },
    /** Resolves to the conversation's id, or null after a failure. Starts a conversation if there is none; concurrent calls start one. */
    begin: async () => {
      await ensureConversation();
      return conversationId;
    },
    /** Lets the next beginning begin another conversation. */
    forget: () => {
      conversationId = null;
      perTab.set(conversationKey, null);
    },
    /** Sends a form. @param values as JSON */
    submit: async (slug: string, values: string, clientKey: string, onRenewal: OnRenewal): Promise<Outcome> => {
      let waits = 0;
      let wasUnknown = false;
      for (;;) {
        const problem = await ensureConversation(onRenewal);
        if (problem) return failureOf(problem);
        const answer = await renewing(() => {
          const body: Record<keyof PublicBody<'submitForm'>, string> = {
            conversation_id: JSON.stringify(conversationId),
            values,
            client_key: JSON.stringify(clientKey),
          };
          return post(
            'submit',
            `/api/widgets/sites/${site}/forms/${encodeURIComponent(slug)}/submit`,
            credential(),
            jsonObject(Object.entries(body)),
            submissionId,
          );
        }, onRenewal);
        const { status, granted, refused } = answer;
        if (granted) return { kind: 'sent', submissionId: granted };
        if (refused.code === UNKNOWN_CONVERSATION && !wasUnknown) {
          // The conversation has expired, or the new token belongs to another user. The submission then needs a new conversation.
          wasUnknown = true;
          conversationId = null;
        } else if (status === 409 && waits++ < IN_PROGRESS_RETRIES) {
          await pause(IN_PROGRESS_DELAY_MS);
        } else if (status === 400) return { kind: 'invalid', refused };
        else return failureOf(answer);
      }
    },
    /** Takes a token of the same visitor, and wakes what waits for one. Returns whether it is one. */
    renews: (next: string): boolean => {
      if (!token || visitorOf(next) !== visitor) return false;
      token = next;
      // True, because nobody can cancel this event.
      return tokens.dispatchEvent(new CustomEvent('set'));
    },
    /** Ends the session of a visitor who is no longer there: no answer counts from now on. */
    end: () => {
      ended = true;
      end();
    },
  };
}

/**
 * Returns the unverified site and user of a token as one text: `site/user`, with nothing in the place of what it does not have. Guests have no
 * user. The service verifies both.
 */
export function visitorOf(token = ''): string {
  try {
    const { site_id, sub } = JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')));
    return `${site_id ?? ''}/${String(sub ?? '').replace(GUEST, '')}`;
  } catch {
    return '/';
  }
}

/** Ignores any other value in storage, because another script may have stored it and init would fail. */
function identifier(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value) ? value : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
