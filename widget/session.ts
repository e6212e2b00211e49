import type { PublicBody } from '../src/contract/public-operations.ts';
import type { InitResponse } from '../src/contract/widget.ts';
import { errorOf, isInitResponse, type Refused, submissionOf } from './answers.ts';
import { credentials } from './credentials.ts';
import { debugLog } from './debug.ts';
import { type Answer, httpClient } from './http.ts';
import { tokenRenewal } from './renewal.ts';
import type { Settings } from './script-tag.ts';
import { perBrowser, perTab } from './storage.ts';
import type { VaWaveCredential } from './va-wave.d.ts';

const RENEWALS_PER_REQUEST = 2;
/** An earlier attempt of the same submission can wait at most 5 s for the endpoint. */
const IN_PROGRESS_DELAY_MS = 1500;
const IN_PROGRESS_RETRIES = 4;

export type Values = Record<string, string | number>;

/** The result of a submission. */
export type Outcome =
  | { readonly kind: 'sent'; readonly submissionId: string }
  | { readonly kind: 'offline' | 'busy' | 'failed' }
  | { readonly kind: 'invalid'; readonly refused: Refused }
  /** `renewed` resolves when the page sets a new token later. */
  | { readonly kind: 'expired'; readonly renewed: Promise<void> };

export type Session = {
  readonly siteId: () => string;
  /** Authenticates and resumes the tab's conversation, but starts none. Resolves to undefined after any failure. */
  readonly init: () => Promise<InitResponse | undefined>;
  /** Resolves to the conversation's id, or null after a failure. Starts a conversation if there is none; concurrent calls start one. */
  readonly begin: () => Promise<string | null>;
  readonly submit: (
    submission: { readonly slug: string; readonly values: Values; readonly clientKey: string },
    onRenewal: (asking: boolean) => void,
  ) => Promise<Outcome>;
  readonly credential: () => VaWaveCredential;
  readonly renewToken: () => Promise<boolean>;
  readonly setToken: (token: string) => void;
  /** Removes the conversation, the visitor and the drafts from memory and storage. */
  readonly forget: () => void;
  readonly end: () => void;
};

type OnRenewal = (asking: boolean) => void;

export function openSession(settings: Settings): Session {
  const who = credentials(settings);
  const { post, abort } = httpClient(settings.base);
  const log = debugLog(settings);
  const renewal = tokenRenewal();
  // After a 401 the page can do nothing but renew its token, so every 401 with a token counts as an expired one.
  const isExpired = ({ status }: Answer) => status === 401 && who.token() !== undefined;
  let conversationId: string | null = null;
  let beginning: Promise<Answer> | undefined;

  const init = async (begins: boolean): Promise<Answer> => {
    const siteId = who.siteId();
    const conversation = `conversation:${siteId}`;
    const visitor = `visitor:${siteId}`;
    const answer = await post(`/api/widget/init?site=${encodeURIComponent(siteId)}`, who.headers(), {
      conversation_id: identifier(perTab.get(conversation)),
      visitor_id: who.token() ? null : identifier(perBrowser.get(visitor)),
      referrer: document.referrer,
      begin_conversation: begins,
    } satisfies PublicBody<'initWidget'>);
    if (answer.status !== 200 || !isInitResponse(answer.body)) {
      log('init', answer.status, errorOf(answer.body));
      return answer;
    }
    conversationId = answer.body.conversation_id;
    perTab.set(conversation, conversationId);
    // With a token the visitor is the customer's user, whose id must not stay in the browser after a log-out.
    if (!who.token()) perBrowser.set(visitor, answer.body.visitor_id);
    return answer;
  };

  /** Repeats a request whose token was refused with the new token of the page. */
  const renewing = async (request: () => Promise<Answer>, onRenewal: OnRenewal): Promise<Answer> => {
    for (let renewals = 0; ; renewals++) {
      const token = who.token();
      const answer = await request();
      if (!isExpired(answer) || renewals === RENEWALS_PER_REQUEST) return answer;
      // Another request may have renewed the token while this request was in progress.
      if (who.token() !== token) continue;
      onRenewal(true);
      const renewed = await renewal.ask();
      onRenewal(false);
      if (!renewed) return answer;
    }
  };

  /** Starts a conversation if there is none. Resolves to the answer of a failure, or to undefined when there is a conversation. */
  const begun = async (onRenewal: OnRenewal): Promise<Answer | undefined> => {
    if (conversationId) return undefined;
    beginning ??= renewing(() => init(true), onRenewal).finally(() => {
      beginning = undefined;
    });
    const answer = await beginning;
    return conversationId ? undefined : answer;
  };

  const failed = (answer: Answer): Outcome => {
    if (isExpired(answer)) return { kind: 'expired', renewed: renewal.arrival() };
    const { status } = answer;
    return { kind: status === 0 ? 'offline' : status === 429 ? 'busy' : 'failed' };
  };

  const submit: Session['submit'] = async ({ slug, values, clientKey }, onRenewal) => {
    let waits = 0;
    let unknown = false;
    for (;;) {
      const problem = await begun(onRenewal);
      if (problem) return failed(problem);
      const answer = await renewing(async () => {
        const sent = await post(
          `/api/widgets/sites/${encodeURIComponent(who.siteId())}/forms/${encodeURIComponent(slug)}/submit`,
          who.headers(),
          { conversation_id: conversationId, values, client_key: clientKey } satisfies Record<
            keyof PublicBody<'submitForm'>,
            unknown
          >,
        );
        if (sent.status !== 200) log('submit', sent.status, errorOf(sent.body));
        return sent;
      }, onRenewal);
      const submissionId = submissionOf(answer.body);
      if (answer.status === 200 && submissionId) return { kind: 'sent', submissionId };
      const refused = errorOf(answer.body);
      if (answer.status === 400 && refused.field === 'conversation_id' && !unknown) {
        // The conversation has expired, or the new token belongs to another user. The submission then needs a new conversation.
        unknown = true;
        conversationId = null;
      } else if (answer.status === 409 && waits++ < IN_PROGRESS_RETRIES) {
        await new Promise((resolve) => setTimeout(resolve, IN_PROGRESS_DELAY_MS));
      } else if (answer.status === 400) return { kind: 'invalid', refused };
      else return failed(answer);
    }
  };

  return {
    siteId: who.siteId,
    init: async () => {
      const { status, body } = await init(false);
      return status === 200 && isInitResponse(body) ? body : undefined;
    },
    begin: async () => {
      await begun(() => {});
      return conversationId;
    },
    submit,
    credential: who.headers,
    renewToken: renewal.ask,
    setToken: (token) => {
      who.setToken(token);
      renewal.settle();
    },
    forget: () => {
      conversationId = null;
      perTab.clear();
      perBrowser.clear();
    },
    end: abort,
  };
}

/** Ignores any other text in storage, because another script may have stored it and init would fail. */
function identifier(text: string | null): string | null {
  return text !== null && /^[\w-]{1,128}$/.test(text) ? text : null;
}
