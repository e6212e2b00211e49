import type { PublicBody } from '../src/contract/public-operations.ts';
import type { InitResponse } from '../src/contract/widget.ts';
import { type Answer, apiClient, isInitResponse, jsonObject, type Refused, submissionId } from './api.ts';
import { emit, type Settings } from './page.ts';
import { perBrowser, perTab } from './storage.ts';
import type { VaWaveCredential } from './va-wave.d.ts';

/** How long the page has to set a new token before the widget shows that the session has expired. */
const RENEWAL_MS = 5000;
const RENEWALS_PER_REQUEST = 2;
/** An earlier attempt of the same submission can wait at most 5 s for the endpoint. */
const IN_PROGRESS_DELAY_MS = 1500;
const IN_PROGRESS_RETRIES = 4;

/** The result of a submission. */
export type Outcome =
  | { readonly kind: 'sent'; readonly submissionId: string }
  | { readonly kind: 'offline' | 'busy' | 'failed' }
  | { readonly kind: 'invalid'; readonly refused: Refused }
  /** `renewed` resolves when the page sets a new token later. */
  | { readonly kind: 'expired'; readonly renewed: Promise<unknown> };

type OnRenewal = (asking: boolean) => void;

export type Session = ReturnType<typeof openSession>;

/** Authenticates the widget's requests by a site id or a session token. The token takes precedence. The visitor can see both. */
export function openSession(settings: Settings) {
  const { post, end } = apiClient(settings);
  let { token } = settings;
  const tokens = new EventTarget();
  let renewal: Promise<boolean> | undefined;
  let conversationId: string | null = null;
  let beginning: Promise<Answer<InitResponse>> | undefined;

  const siteId = () => (token ? siteOfToken(token) : settings.siteId) ?? '';
  const credential = (): VaWaveCredential =>
    token ? { 'X-Session-Token': token } : { 'X-Site-Id': settings.siteId ?? '' };
  // After a 401 the page can do nothing but renew its token, so every 401 with a token counts as an expired one.
  const isExpired = ({ status }: Answer<unknown>) => status === 401 && token !== undefined;

  const nextToken = () => new Promise((resolve) => tokens.addEventListener('set', resolve, { once: true }));

  /** Asks the page for a new token. Calls at the same time share one event. Resolves to false after 5 seconds without a token. */
  const renewToken = (): Promise<boolean> => {
    if (renewal) return renewal;
    renewal = Promise.race([nextToken().then(() => true), pause(RENEWAL_MS).then(() => false)]).finally(() => {
      renewal = undefined;
    });
    emit('va-wave:token-expired', null);
    return renewal;
  };

  /** Repeats a request whose token was refused with the new token of the page. */
  const renewing = async <T>(request: () => Promise<Answer<T>>, onRenewal: OnRenewal): Promise<Answer<T>> => {
    for (let renewals = 0; ; renewals++) {
      const used = token;
      const answer = await request();
      if (!isExpired(answer) || renewals === RENEWALS_PER_REQUEST) return answer;
      // Another request may have renewed the token while this request was in progress.
      if (token !== used) continue;
      onRenewal(true);
      const renewed = await renewToken();
      onRenewal(false);
      if (!renewed) return answer;
    }
  };

  const init = async (begins: boolean): Promise<Answer<InitResponse>> => {
    const conversation = `conversation:${siteId()}`;
    const visitor = `visitor:${siteId()}`;
    const body: PublicBody<'initWidget'> = {
      conversation_id: identifier(perTab.get(conversation)),
      visitor_id: token ? null : identifier(perBrowser.get(visitor)),
      referrer: document.referrer,
      begin_conversation: begins,
    };
    const path = `/api/widget/init?site=${encodeURIComponent(siteId())}` as const;
    const answer = await post('init', path, credential(), JSON.stringify(body), (given) =>
      isInitResponse(given) ? given : undefined,
    );
    if (answer.granted) {
      conversationId = answer.granted.conversation_id;
      perTab.set(conversation, conversationId);
      // With a token the visitor is the customer's user, whose id must not stay in the browser after a log-out.
      if (!token) perBrowser.set(visitor, answer.granted.visitor_id);
    }
    return answer;
  };

  /** Starts a conversation if there is none. Resolves to the answer of a failure, or to undefined when there is a conversation. */
  const begun = async (onRenewal: OnRenewal): Promise<Answer<unknown> | undefined> => {
    if (conversationId) return undefined;
    beginning ??= renewing(() => init(true), onRenewal).finally(() => {
      beginning = undefined;
    });
    const answer = await beginning;
    return conversationId ? undefined : answer;
  };

  const failed = (answer: Answer<unknown>): Outcome => {
    if (isExpired(answer)) return { kind: 'expired', renewed: nextToken() };
    return { kind: answer.status === 0 ? 'offline' : answer.status === 429 ? 'busy' : 'failed' };
  };

  return {
    siteId,
    credential,
    renewToken,
    /** Authenticates and resumes the tab's conversation, but starts none. Resolves to undefined after any failure. */
    init: async () => (await init(false)).granted,
    /** Resolves to the conversation's id, or null after a failure. Starts a conversation if there is none; concurrent calls start one. */
    begin: async () => {
      await begun(() => {});
      return conversationId;
    },
    /** Sends a form. @param values as JSON @param onRenewal called with true while the page is asked for a new token */
    submit: async (slug: string, values: string, clientKey: string, onRenewal: OnRenewal): Promise<Outcome> => {
      let waits = 0;
      let unknown = false;
      for (;;) {
        const problem = await begun(onRenewal);
        if (problem) return failed(problem);
        const answer = await renewing(() => {
          const form = `${encodeURIComponent(siteId())}/forms/${encodeURIComponent(slug)}` as const;
          const body: Record<keyof PublicBody<'submitForm'>, string> = {
            conversation_id: JSON.stringify(conversationId),
            values,
            client_key: JSON.stringify(clientKey),
          };
          return post(
            'submit',
            `/api/widgets/sites/${form}/submit`,
            credential(),
            jsonObject(Object.entries(body)),
            submissionId,
          );
        }, onRenewal);
        const { status, granted, refused } = answer;
        if (granted) return { kind: 'sent', submissionId: granted };
        if (status === 400 && refused.field === 'conversation_id' && !unknown) {
          // The conversation has expired, or the new token belongs to another user. The submission then needs a new conversation.
          unknown = true;
          conversationId = null;
        } else if (status === 409 && waits++ < IN_PROGRESS_RETRIES) {
          await pause(IN_PROGRESS_DELAY_MS);
        } else if (status === 400) return { kind: 'invalid', refused };
        else return failed(answer);
      }
    },
    setToken: (next: string) => {
      token = next;
      tokens.dispatchEvent(new Event('set'));
    },
    /** Removes the conversation, the visitor and the drafts from memory and storage. */
    forget: () => {
      conversationId = null;
      perTab.clear();
      perBrowser.clear();
    },
    end,
  };
}

/** Returns the unverified `site_id` of a token's payload. It only selects the assistant whose CORS setting applies. */
function siteOfToken(token: string): string | undefined {
  try {
    const payload = token.split('.')[1] ?? '';
    const { site_id } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
    return typeof site_id === 'string' ? site_id : undefined;
  } catch {
    return undefined;
  }
}

/** Ignores any other value in storage, because another script may have stored it and init would fail. */
function identifier(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value) ? value : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
