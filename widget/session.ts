import type { InitResponse } from '../src/contract/widget.ts';
import { errorOf, isInitResponse, isSuccess } from './answers.ts';
import { type Credentials, credentials } from './credentials.ts';
import { debugLog } from './debug.ts';
import { httpClient } from './http.ts';
import { tokenRenewal } from './renewal.ts';
import type { Settings } from './script-tag.ts';
import { perBrowser, perTab } from './storage.ts';

const RENEWALS_PER_SUBMISSION = 2;
/** An earlier try of the same submission is still with the endpoint, for at most its 5 s. */
const IN_PROGRESS_PAUSE_MS = 1500;
const IN_PROGRESS_TRIES = 4;

export type Values = Record<string, string | number>;

/** How a submission ended. */
export type Outcome =
  | { readonly kind: 'sent' | 'offline' | 'busy' | 'failed' }
  /** `message` begins with the field when the service names one. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** `renewed` resolves when the page hands over a token after all. */
  | { readonly kind: 'expired'; readonly renewed: Promise<void> };

export type Session = {
  /** Authenticates and begins or resumes the conversation; undefined on any failure. */
  readonly init: () => Promise<InitResponse | undefined>;
  readonly submit: (
    submission: { readonly slug: string; readonly values: Values; readonly clientKey: string },
    onRenewal: (asking: boolean) => void,
  ) => Promise<Outcome>;
  readonly setToken: (token: string) => void;
  readonly end: () => void;
};

export function openSession(settings: Settings): Session {
  const who: Credentials = credentials(settings);
  const { post, abort } = httpClient(settings.base);
  const log = debugLog(settings.debug);
  const renewal = tokenRenewal();
  let conversationId = '';

  const init = async () => {
    const siteId = who.siteId();
    const answer = await post(`/api/widget/init?site=${encodeURIComponent(siteId)}`, who.headers(), {
      conversation_id: identifier(perTab.get(`conversation:${siteId}`)),
      visitor_id: who.token() ? null : identifier(perBrowser.get(`visitor:${siteId}`)),
      referrer: document.referrer,
    });
    if (answer.status !== 200 || !isInitResponse(answer.body)) {
      log('init', answer.status, errorOf(answer.body));
      return undefined;
    }
    conversationId = answer.body.conversation_id;
    perTab.set(`conversation:${siteId}`, conversationId);
    // With a token the visitor is the customer's user, whose id has no business in a browser after logging out.
    if (!who.token()) perBrowser.set(`visitor:${siteId}`, answer.body.visitor_id);
    return answer.body;
  };

  const submit: Session['submit'] = async ({ slug, values, clientKey }, onRenewal) => {
    let renewals = 0;
    let waits = 0;
    let began = false;
    for (;;) {
      const token = who.token();
      const { status, body } = await post(
        `/api/widgets/sites/${encodeURIComponent(who.siteId())}/forms/${encodeURIComponent(slug)}/submit`,
        who.headers(),
        { conversation_id: conversationId, values, client_key: clientKey },
      );
      if (status === 200 && isSuccess(body)) return { kind: 'sent' };
      const message = errorOf(body);
      log('submit', status, message);

      // With a token, a 401 is about the token for all that the page can do about it.
      if (status === 401 && token) {
        if (renewals++ === RENEWALS_PER_SUBMISSION) return { kind: 'expired', renewed: renewal.arrival() };
        // Another submission may have had it renewed while this one was on its way.
        if (who.token() !== token) continue;
        onRenewal(true);
        const renewed = await renewal.ask();
        onRenewal(false);
        if (!renewed) return { kind: 'expired', renewed: renewal.arrival() };
      } else if (status === 400 && message.startsWith('conversation_id: ') && !began) {
        // It expired, or the new token is another user's: the submission belongs to a conversation of its own then.
        began = true;
        if (!(await init())) return { kind: 'failed' };
      } else if (status === 409 && waits++ < IN_PROGRESS_TRIES) {
        await new Promise((resolve) => setTimeout(resolve, IN_PROGRESS_PAUSE_MS));
      } else if (status === 400) return { kind: 'invalid', message };
      else return { kind: status === 0 ? 'offline' : status === 429 ? 'busy' : 'failed' };
    }
  };

  return {
    init,
    submit,
    setToken: (token) => {
      who.setToken(token);
      renewal.settle();
    },
    end: abort,
  };
}

/** What another script may have left in storage must not make init fail. */
function identifier(text: string | null): string | null {
  return text !== null && /^[\w-]{1,128}$/.test(text) ? text : null;
}
