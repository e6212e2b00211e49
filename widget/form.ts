import type { ErrorCode } from '../src/contract/errors.ts';
import type { FormPanel } from '../src/contract/widget.ts';
import { objectText, type RefusalParts } from './api.ts';
import { element, icon } from './dom.ts';
import { fieldView } from './field.ts';
import type { SubmitOutcome, VisitorSession } from './session.ts';
import type { SubmitAttempt } from './storage.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

const CHECK = 'M5 12.5l4.5 4.5L19 7.5';

const NO_ATTEMPT: SubmitAttempt = { values: '', clientKey: '' };

/** A page that the visitor left while it sent is followed by one that repeats the attempt, but not later than this. */
const REPEAT_MS = 30 * 60 * 1000;

export type FormSession = Pick<VisitorSession, 'submit' | 'storage'>;

/** Tells the visitor a text, also one who does not look at the panel. `needsVisitor` marks the launcher until the panel is open. */
export type Announce = (text: string, needsVisitor?: boolean) => void;

/** Creates a form with its own draft and state. Both are kept while the visitor looks at another form. */
export function formView(form: FormPanel, session: FormSession, texts: Texts, announce: Announce) {
  const fields = form.fields.map((field) => fieldView(field, texts, announce));
  const draft = session.storage.draft(form.slug, fields);
  let attempt = draft.restore() ?? NO_ATTEMPT;
  let isSending = false;

  const notice = element('p', { class: 'notice' });
  const button = element('button', { class: 'main', type: 'submit' }, texts.send);
  const formElement = element('form', { novalidate: true }, ...fields.map(({ node }) => node), notice, button);

  /** Shows a text beside the button, both in view, and tells it. Wrong fields are in view instead, of which the first one gets the focus. */
  const say = (text: string, isProblem = false) => {
    notice.textContent = text;
    notice.classList.toggle('calm', !isProblem);
    if (!text) return;
    announce(text, isProblem);
    if (text !== texts.invalid) for (const part of [button, notice]) part.scrollIntoView({ block: 'nearest' });
  };

  const typedText = () => JSON.stringify(fields.map(({ input }) => input.value));

  const setSending = (now: boolean, label: string) => {
    isSending = now;
    // `disabled` would move the keyboard focus back to the page.
    button.setAttribute('aria-disabled', String(now));
    button.textContent = label;
  };

  /** @param startedAt makes the next page repeat the attempt, if the visitor leaves this one before the outcome */
  const sendAttempt = async (startedAt: number | undefined) => {
    const sentText = typedText();
    attempt = { ...attempt, startedAt };
    draft.save(attempt);
    say('');
    setSending(true, texts.sending);
    const outcome = await session.submit(form.slug, attempt, (isRenewing) => say(isRenewing ? texts.renewing : ''));
    attempt = { ...attempt, startedAt: undefined };
    const isChanged = sentText !== typedText();
    // What comes next is another submission when the visitor has to correct this one, or has changed it after it was sent.
    setSending(false, outcome.kind === 'invalid' || isChanged ? texts.send : texts.retry);
    conclude(outcome, isChanged);
  };

  /** @param isChanged whether the visitor has changed the fields since they were sent */
  const conclude = (outcome: SubmitOutcome, isChanged: boolean) => {
    if (outcome.kind === 'sent') {
      attempt = NO_ATTEMPT;
      if (!isChanged) {
        draft.forget();
        return showSent();
      }
    }
    draft.save(attempt);
    switch (outcome.kind) {
      case 'sent':
        return say(texts.changed);
      case 'invalid':
        return showRefusal(outcome.refusal);
      case 'expired':
        outcome.untilRenewed.then(() => sayOver(texts.expired, texts.renewed));
        return say(texts.expired, true);
      case 'offline':
        addEventListener('online', () => sayOver(texts.offline, texts.online), { once: true });
    }
    say(texts[outcome.kind], true);
  };

  /** Says that a problem is over, if it is still the one that the form shows. */
  const sayOver = (problem: string, text: string) => {
    if (notice.textContent === problem) say(text);
  };

  const showRefusal = ({ code, fields: wrongFields }: RefusalParts) => {
    const required: ErrorCode = 'value_required';
    const markedFields = fields.filter(({ field, showError }) => {
      const refusal = wrongFields.find((one) => one.field === `values.${field.key}`);
      if (refusal) showError(code === required ? texts.required : refusal.problem);
      return refusal;
    });
    say(markedFields.length > 0 ? texts.invalid : texts.failed, true);
    markedFields[0]?.input.focus();
  };

  const showSent = () => {
    const again = element('button', { class: 'plain', type: 'button' }, texts.another);
    const heading = element('h3', { tabindex: '-1' }, texts.sentTitle);
    const thanks = element('div', { class: 'sent' }, icon(CHECK), heading, element('p', {}, texts.sent), again);
    const hadFocus = formElement.matches(':focus-within');
    again.onclick = () => {
      formElement.reset();
      button.textContent = texts.send;
      thanks.replaceWith(formElement);
      fields[0]?.input.focus();
    };
    formElement.replaceWith(thanks);
    announce(texts.sent);
    if (hadFocus) heading.focus();
  };

  formElement.oninput = () => draft.save(attempt);
  formElement.onsubmit = (event) => {
    event.preventDefault();
    if (isSending) return;
    const wrongFields = fields.filter((field) => !field.check());
    if (wrongFields[0]) {
      say(texts.invalid, true);
      return wrongFields[0].input.focus();
    }
    const values = objectText(fields.flatMap((field) => field.entries()));
    // The same content keeps its key, so that another attempt cannot submit it twice. Changed content is a new submission.
    if (attempt.values !== values) attempt = { values, clientKey: randomId() };
    void sendAttempt(Date.now());
  };

  const node = element('div', {}, formElement);
  // The panel was built again, or the visitor left the last page, while it sent. The page's prefill comes first.
  if ((attempt.startedAt ?? 0) > Date.now() - REPEAT_MS) queueMicrotask(() => sendAttempt(attempt.startedAt));
  return {
    node,
    prefill: (visitor: VaWaveVisitor) => {
      for (const field of fields) field.prefill(visitor);
    },
  };
}

/** Returns 128 random bits as four numbers. Pages served over plain http have no crypto.randomUUID, and some have replaced `crypto`. */
function randomId(): string {
  const numbers = new Uint32Array(4).map(() => Math.random() * 2 ** 32);
  return (globalThis.crypto?.getRandomValues(numbers) ?? numbers).join('-');
}
