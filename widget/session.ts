import type { InitResponse } from '../src/contract/widget.ts';
import { errorOf, isInitResponse, submissionOf } from './answers.ts';
import { credentials } from './credentials.ts';
import { debugLog } from './debug.ts';
import { type Answer, httpClient } from './http.ts';
import { tokenRenewal } from './renewal.ts';
import type { Settings } from './script-tag.ts';
import { perBrowser, perTab } from './storage.ts';
import type { VaWaveCredential } from './va-wave.d.ts';

const RENEWALS_PER_REQUEST = 2;
/** An earlier try of the same submission is still with the endpoint, for at most its 5 s. */
const IN_PROGRESS_PAUSE_MS = 1500;
const IN_PROGRESS_TRIES = 4;

export type Values = Record<string, string | number>;

/** How a submission ended. */
export type Outcome =
  | { readonly kind: 'sent'; readonly submissionId: string }
  | { readonly kind: 'offline' | 'busy' | 'failed' }
  /** `message` begins with the field when the service names one. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** `renewed` resolves when the page hands over a token after all. */
  | { readonly kind: 'expired'; readonly renewed: Promise<void> };

export type Session = {
  readonly siteId: () => string;
  /** Authenticates, and resumes the tab's conversation, but begins none; undefined on any failure. */
  readonly init: () => Promise<InitResponse | undefined>;
  /** The conversation's id, begun if there is none; null when that fails. However many ask at once, it is begun once. */
  readonly begin: () => Promise<string | null>;
  readonly submit: (
    submission: { readonly slug: string; readonly values: Values; readonly clientKey: string },
    onRenewal: (asking: boolean) => void,
  ) => Promise<Outcome>;
  readonly credential: () => VaWaveCredential;
  readonly renewToken: () => Promise<boolean>;
  readonly setToken: (token: string) => void;
  /** Forgets conversation, visitor and drafts. */
  readonly forget: () => void;
  readonly end: () => void;
};

type OnRenewal = (asking: boolean) => void;

export function openSession(settings: Settings): Session {
  const who = credentials(settings);
  const { post, abort } = httpClient(settings.base);
  const log = debugLog(settings);
  const renewal = tokenRenewal();
  // With a token, a 401 is about the token for all that the page can do about it.
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
    });
    if (answer.status !== 200 || !isInitResponse(answer.body)) {
      log('init', answer.status, errorOf(answer.body));
      return answer;
    }
    conversationId = answer.body.conversation_id;
    perTab.set(conversation, conversationId);
    // With a token the visitor is the customer's user, whose id has no business in a browser after logging out.
    if (!who.token()) perBrowser.set(visitor, answer.body.visitor_id);
    return answer;
  };

  /** Repeats a request whose token was refused, with the one that the page hands over. */
  const renewing = async (request: () => Promise<Answer>, onRenewal: OnRenewal): Promise<Answer> => {
    for (let renewals = 0; ; renewals++) {
      const token = who.token();
      const answer = await request();
      if (!isExpired(answer) || renewals === RENEWALS_PER_REQUEST) return answer;
      // Another request may have had it renewed while this one was on its way.
      if (who.token() !== token) continue;
      onRenewal(true);
      const renewed = await renewal.ask();
      onRenewal(false);
      if (!renewed) return answer;
    }
  };

  /** What kept the conversation from beginning; undefined once there is one. */
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
          { conversation_id: conversationId, values, client_key: clientKey },
        );
        if (sent.status !== 200) log('submit', sent.status, errorOf(sent.body));
        return sent;
      }, onRenewal);
      const submissionId = submissionOf(answer.body);
      if (answer.status === 200 && submissionId) return { kind: 'sent', submissionId };
      const message = errorOf(answer.body);
      if (answer.status === 400 && message.startsWith('conversation_id: ') && !unknown) {
        // It expired, or the new token is another user's: the submission belongs to a conversation of its own then.
        unknown = true;
        conversationId = null;
      } else if (answer.status === 409 && waits++ < IN_PROGRESS_TRIES) {
        await new Promise((resolve) => setTimeout(resolve, IN_PROGRESS_PAUSE_MS));
      } else if (answer.status === 400) return { kind: 'invalid', message };
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
      for (const memory of [perTab, perBrowser]) memory.forget('');
    },
    end: abort,
  };
}

/** What another script may have left in storage must not make init fail. */
function identifier(text: string | null): string | null {
  return text !== null && /^[\w-]{1,128}$/.test(text) ? text : null;
}
