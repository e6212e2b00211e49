import type { ErrorCode } from '../src/contract/errors.ts';
import type { PublicBody } from '../src/contract/public-operations.ts';
import type { InitResponse } from '../src/contract/widget.ts';
import { type ApiAnswer, apiClient, hasTexts, isInitResponse, objectText, type RefusalParts } from './api.ts';
import { nextEvent } from './events.ts';
import { emit, pageDocument, type TagSettings } from './page.ts';
import { type SubmitAttempt, siteStorage } from './storage.ts';
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
export type SubmitOutcome =
  | { readonly kind: 'sent' | 'offline' | 'busy' | 'failed' }
  | { readonly kind: 'invalid'; readonly refusal: RefusalParts }
  /** `untilRenewed` resolves when the page sets a new token later. */
  | { readonly kind: 'expired'; readonly untilRenewed: Promise<unknown> };

/** Called with true when the page is asked for a new token, and with false when it has set one or the wait is over. */
type SetRenewing = (isRenewing: boolean) => void;

export type VisitorSession = ReturnType<typeof openSession>;

export type TokenRequests = ReturnType<typeof tokenRequests>;

/** The page's token requests that wait for their answer, by visitor. The sessions of a page share them. */
export function tokenRequests() {
  const isAwaited: Record<string, boolean> = {};
  return {
    /** Asks the page for a new token of a visitor. */
    ask: (visitor: string) => {
      isAwaited[visitor] = true;
      emit('va-wave:token-expired', null);
    },
    /** Ends the request for a visitor's token. Returns whether there was one. */
    answer: (visitor: string): boolean => {
      const wasAwaited = !!isAwaited[visitor];
      isAwaited[visitor] = false;
      return wasAwaited;
    },
  };
}

/** Opens the session of one visitor, whom the token, or else the site id, identifies. The visitor can see both. */
export function openSession(settings: TagSettings, requests: TokenRequests) {
  const { post, end } = apiClient(settings);
  let isEnded = false;
  let { token } = settings;
  /** Dispatches `set` when the page sets a token. */
  const tokens = new EventTarget();
  /** The question that waits for the page's answer, at most 5 seconds. */
  let renewal: Promise<boolean> | undefined;
  let conversationId: string | null = null;
  /** The request that begins the conversation, while it has no answer. */
  let pendingBegin: Promise<ApiAnswer<InitResponse>> | undefined;
  /** The submissions that have no outcome yet, by their key: a panel that is built again meanwhile waits for the same one. */
  const pendingSubmissions: Record<string, Promise<SubmitOutcome>> = {};

  /** `site/user`, which each later token of the session must also have. */
  const visitor = visitorOf(token);
  const siteId = token ? visitor.replace(/\/.*/s, '') : (settings.siteId ?? '');
  const storage = siteStorage(siteId, settings.storage === 'none');
  const credential = (): VaWaveCredential =>
    token ? { 'X-Session-Token': token } : { 'X-Site-Id': settings.siteId ?? '' };
  // After a 401 the page can do nothing but renew its token, so every 401 with a token counts as an expired one.
  const isExpired = ({ status }: ApiAnswer<unknown>) => status === 401 && !!token;

  const nextToken = () => nextEvent(tokens, 'set');

  /** Asks the page for a new token. Calls at the same time share one event. Resolves to false after 5 seconds without a token. */
  const renewToken = (): Promise<boolean> => {
    if (renewal) return renewal;
    renewal = Promise.race([nextToken(), pause(RENEWAL_MS)]).then((event) => {
      renewal = undefined;
      requests.answer(visitor);
      return !!event;
    });
    requests.ask(visitor);
    return renewal;
  };

  /** Repeats a request whose token was refused with the new token of the page. */
  const withRenewal = async <T>(
    request: () => Promise<ApiAnswer<T>>,
    setRenewing?: SetRenewing,
  ): Promise<ApiAnswer<T>> => {
    for (let renewals = 0; ; renewals++) {
      const usedToken = token;
      const answer = await request();
      if (!isExpired(answer) || renewals === RENEWALS_PER_REQUEST) return answer;
      // Another request may have renewed the token while this request was in progress.
      if (token !== usedToken) continue;
      setRenewing?.(true);
      const hasNewToken = await renewToken();
      setRenewing?.(false);
      if (!hasNewToken) return answer;
    }
  };

  const site = encodeURIComponent(siteId);
  /** @param begins whether a conversation begins when the tab has none to resume */
  const init = async (begins: boolean): Promise<ApiAnswer<InitResponse>> => {
    const body: PublicBody<'initWidget'> = {
      conversation_id: identifier(storage.get(storage.conversationKey)),
      visitor_id: token ? null : identifier(storage.get(storage.visitorKey)),
      // A query may have what only the page before may know, such as a reset token.
      referrer: pageDocument.referrer.replace(/[?#].*/s, ''),
      begin_conversation: begins,
    };
    const answer = await post(
      'init',
      `/api/widget/init?site=${site}`,
      credential(),
      JSON.stringify(body),
      (answerBody) => (isInitResponse(answerBody) ? answerBody : undefined),
    );
    const { grant } = answer;
    if (grant) {
      storage.setOwner(token ? grant.visitor_id.replace(GUEST, '') : '');
      conversationId = grant.conversation_id;
      storage.set(storage.conversationKey, conversationId);
      // Without a conversation the id is nobody's. With a token the visitor is the customer's user, whose id must not stay after a log-out.
      if (!token && conversationId) storage.set(storage.visitorKey, grant.visitor_id);
    }
    return answer;
  };

  /** Starts a conversation if there is none. Resolves to the answer of a failure, or to undefined when there is a conversation. */
  const ensureConversation = async (setRenewing?: SetRenewing): Promise<ApiAnswer<unknown> | undefined> => {
    if (conversationId) return undefined;
    pendingBegin ??= withRenewal(() => init(true), setRenewing).finally(() => {
      pendingBegin = undefined;
    });
    const answer = await pendingBegin;
    return conversationId ? undefined : answer;
  };

  const failureOf = (answer: ApiAnswer<unknown>): SubmitOutcome => {
    if (isExpired(answer)) return { kind: 'expired', untilRenewed: nextToken() };
    return { kind: answer.status === 0 ? 'offline' : answer.status === 429 ? 'busy' : 'failed' };
  };

  /** Resolves after the pause, or at once when the browser is online again, but not while the page is hidden or offline, and never after `end`. */
  const nextAttempt = (ms: number) =>
    new Promise<void>((resolve) => {
      let due = false;
      const check = (event?: Event) => {
        due ||= event?.type !== 'visibilitychange';
        if (!due || pageDocument.hidden || !navigator.onLine) return;
        removeEventListener('online', check);
        pageDocument.removeEventListener('visibilitychange', check);
        if (!isEnded) resolve();
      };
      addEventListener('online', check);
      pageDocument.addEventListener('visibilitychange', check);
      setTimeout(check, ms);
    });

  const submitOnce = async (slug: string, attempt: SubmitAttempt, setRenewing: SetRenewing): Promise<SubmitOutcome> => {
    let waits = 0;
    let wasUnknown = false;
    for (;;) {
      const problem = await ensureConversation(setRenewing);
      if (problem) return failureOf(problem);
      const answer = await withRenewal(() => {
        const body: Record<keyof PublicBody<'submitForm'>, string> = {
          conversation_id: JSON.stringify(conversationId),
          values: attempt.values,
          client_key: JSON.stringify(attempt.clientKey),
        };
        return post(
          'submit',
          `/api/widgets/sites/${site}/forms/${encodeURIComponent(slug)}/submit`,
          credential(),
          objectText(Object.entries(body)),
          (answerBody) => (hasTexts(answerBody, 'submission_id') ? answerBody.submission_id : undefined),
        );
      }, setRenewing);
      const { status, grant, refusal } = answer;
      if (grant) {
        emit('va-wave:submitted', { form: slug, submission_id: grant });
        return { kind: 'sent' };
      }
      if (refusal.code === UNKNOWN_CONVERSATION && !wasUnknown) {
        // The conversation has expired, or the new token belongs to another user. The submission then needs a new conversation.
        wasUnknown = true;
        conversationId = null;
      } else if (status === 409 && waits++ < IN_PROGRESS_RETRIES) {
        await pause(IN_PROGRESS_DELAY_MS);
      } else if (status === 400) return { kind: 'invalid', refusal };
      else return failureOf(answer);
    }
  };

  return {
    siteId,
    storage,
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
        const answer: ApiAnswer<InitResponse> = await withRenewal(() => init(false));
        const { status, grant, refusal, retryAfter } = answer;
        if (grant || isEnded) return grant;
        if (isExpired(answer) || NEEDS_TOKEN.test(refusal.code)) {
          await nextToken();
          repeats = 0;
        } else if (UNDECIDED.test(refusal.code + status) && repeats < REPEATS && retryAfter <= LONGEST_RETRY_AFTER_S) {
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
      storage.set(storage.conversationKey, null);
    },
    /** Sends a form. Concurrent calls with the same key send it once, and have the same outcome. */
    submit: (slug: string, attempt: SubmitAttempt, setRenewing: SetRenewing): Promise<SubmitOutcome> =>
      (pendingSubmissions[attempt.clientKey] ??= submitOnce(slug, attempt, setRenewing).finally(() => {
        delete pendingSubmissions[attempt.clientKey];
      })),
    /** Takes a token of the same visitor, and wakes what waits for one. Returns whether it is one. */
    acceptIfSameVisitor: (next: string): boolean => {
      if (!token || visitorOf(next) !== visitor) return false;
      token = next;
      // True, because nobody can cancel this event.
      return tokens.dispatchEvent(new CustomEvent('set'));
    },
    /** Ends the session of a visitor who is no longer there: no answer counts from now on. */
    end: () => {
      isEnded = true;
      storage.end();
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
