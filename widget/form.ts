import type { ErrorCode } from '../src/contract/errors.ts';
import type { FormPanel } from '../src/contract/widget.ts';
import { jsonObject, type Refused } from './api.ts';
import { element, icon } from './dom.ts';
import { fieldView } from './field.ts';
import { emit } from './page.ts';
import type { Outcome, Session } from './session.ts';
import { type Attempt, draft } from './storage.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

const CHECK = 'M5 12.5l4.5 4.5L19 7.5';

const NO_ATTEMPT: Attempt = { values: '', clientKey: '' };

/** Creates a form with its own draft and state. Both are kept while the visitor looks at another form. */
export function formView(siteId: string, form: FormPanel, session: Pick<Session, 'submit'>, texts: Texts) {
  const fields = form.fields.map((field) => fieldView(field, texts));
  const kept = draft(siteId, form.slug, fields);
  let attempt = kept.restore() ?? NO_ATTEMPT;
  let sending = false;

  const notice = element('p', { class: 'notice', role: 'alert' });
  const status = element('p', { class: 'notice calm', role: 'status' });
  const button = element('button', { class: 'main', type: 'submit' }, texts.send);
  const formElement = element(
    'form',
    { novalidate: true, 'aria-label': form.name },
    notice,
    ...fields.map(({ node }) => node),
    status,
    button,
  );

  const say = (problem: string, progress = '') => {
    notice.textContent = problem;
    status.textContent = progress;
  };

  const typedText = () => JSON.stringify(fields.map(({ input }) => input.value));

  const setSending = (now: boolean, label: string) => {
    sending = now;
    // `disabled` would move the keyboard focus back to the page.
    button.setAttribute('aria-disabled', String(now));
    button.textContent = label;
  };

  const send = async () => {
    const values = jsonObject(fields.flatMap((field) => field.entries()));
    const typed = typedText();
    // The same content keeps its key, so that another attempt cannot submit it twice. Changed content is a new submission.
    if (attempt.values !== values) attempt = { values, clientKey: randomId() };
    kept.save(attempt);
    say('');
    setSending(true, texts.sending);
    const outcome = await session.submit(form.slug, values, attempt.clientKey, (asking) =>
      say('', asking ? texts.renewing : ''),
    );
    const changed = typed !== typedText();
    // What comes next is another submission when the visitor has to correct this one, or has changed it after it was sent.
    const isNext = outcome.kind === 'invalid' || changed;
    setSending(false, isNext ? texts.send : texts.retry);
    conclude(outcome, changed);
  };

  /** @param changed whether the visitor has changed the fields since they were sent */
  const conclude = (outcome: Outcome, changed: boolean) => {
    switch (outcome.kind) {
      case 'sent':
        attempt = NO_ATTEMPT;
        if (changed) {
          kept.save(attempt);
          say('', texts.changed);
        } else {
          kept.forget();
          showSent();
        }
        return emit('va-wave:submitted', { form: form.slug, submission_id: outcome.submissionId });
      case 'invalid':
        return showRefusal(outcome.refused);
      case 'expired':
        outcome.untilRenewed.then(() => {
          if (notice.textContent === texts.expired) say('', texts.renewed);
        });
        return say(texts.expired);
      default:
        return say(texts[outcome.kind]);
    }
  };

  const showRefusal = ({ code, fields: wrong }: Refused) => {
    const required: ErrorCode = 'value_required';
    const marked = fields.filter(({ field, showError }) => {
      const found = wrong.find((one) => one.field === `values.${field.key}`);
      if (found) showError(code === required ? texts.required : found.problem);
      return found;
    });
    say(marked.length > 0 ? texts.invalid : texts.failed);
    marked[0]?.input.focus();
  };

  const showSent = () => {
    const again = element('button', { class: 'plain', type: 'button' }, texts.another);
    const heading = element('h3', { tabindex: '-1' }, texts.sentTitle);
    const sent = element('div', { class: 'sent' }, icon(CHECK), heading, element('p', {}, texts.sent), again);
    const hadFocus = formElement.matches(':focus-within');
    again.onclick = () => {
      formElement.reset();
      button.textContent = texts.send;
      sent.replaceWith(formElement);
      fields[0]?.input.focus();
    };
    formElement.replaceWith(sent);
    if (hadFocus) heading.focus();
  };

  formElement.oninput = () => kept.save(attempt);
  formElement.onsubmit = (event) => {
    event.preventDefault();
    if (sending) return;
    const wrong = fields.filter((field) => !field.check());
    say(wrong.length > 0 ? texts.invalid : '');
    if (wrong[0]) wrong[0].input.focus();
    else void send();
  };

  return {
    node: element('div', {}, formElement),
    prefill: (visitor: VaWaveVisitor) => {
      for (const field of fields) field.prefill(visitor);
    },
  };
}

/** Returns 128 random bits as four numbers. Pages served over plain http have no crypto.randomUUID. */
function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
