import type { ErrorCode } from '../src/contract/errors.ts';
import type { FormPanel } from '../src/contract/widget.ts';
import type { Refused } from './answers.ts';
import { element, icon } from './dom.ts';
import { type Attempt, draft } from './draft.ts';
import { emit } from './emit.ts';
import { type FieldView, fieldView } from './field.ts';
import { randomId } from './random-id.ts';
import type { Outcome, Session, Values } from './session.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

const CHECK = 'M5 12.5l4.5 4.5L19 7.5';

const NO_ATTEMPT: Attempt = { values: '', clientKey: '' };

export type FormView = { readonly node: HTMLElement; readonly prefill: (visitor: VaWaveVisitor) => void };

/** Creates a form with its own draft and state. Both are kept while the visitor looks at another form. */
export function formView(
  owner: string,
  form: FormPanel,
  session: Pick<Session, 'submit'>,
  texts: Texts,
  visitor: VaWaveVisitor,
): FormView {
  const fields = form.fields.map((field) => fieldView(field, texts));
  const prefill = (known: VaWaveVisitor) => {
    for (const field of fields) field.prefill(known);
  };
  prefill(visitor);
  const kept = draft(owner, form.slug);
  let attempt = kept.restore(fields) ?? NO_ATTEMPT;

  const notice = element('p', { class: 'notice', role: 'alert' });
  const status = element('p', { class: 'notice calm', role: 'status' });
  const button = element('button', { class: 'main', type: 'submit' }, texts.send);
  const node = element('div');
  const formElement = element(
    'form',
    { novalidate: true, 'aria-label': form.name },
    notice,
    ...fields.map((field) => field.node),
    status,
    button,
  );
  node.append(formElement);

  let sending = false;

  const say = (problem: string, progress = '') => {
    notice.textContent = problem;
    status.textContent = progress;
  };

  const setSending = (now: boolean, label: string) => {
    sending = now;
    // `disabled` would move the keyboard focus back to the page.
    button.setAttribute('aria-disabled', String(now));
    button.textContent = label;
  };

  const send = async () => {
    const values = valuesOf(fields);
    const serialized = JSON.stringify(values);
    // The same content keeps its key, so that another attempt cannot submit it twice. Changed content is a new submission.
    if (attempt.values !== serialized) attempt = { values: serialized, clientKey: randomId() };
    kept.save(fields, attempt);
    say('');
    setSending(true, texts.sending);
    const outcome = await session.submit({ slug: form.slug, values, clientKey: attempt.clientKey }, (asking) =>
      say('', asking ? texts.renewing : ''),
    );
    setSending(false, outcome.kind === 'invalid' ? texts.send : texts.retry);
    conclude(outcome);
  };

  const conclude = (outcome: Outcome) => {
    switch (outcome.kind) {
      case 'sent':
        attempt = NO_ATTEMPT;
        kept.forget();
        showSent();
        return emit('va-wave:submitted', { form: form.slug, submission_id: outcome.submissionId });
      case 'invalid':
        return showRefusal(outcome.refused);
      case 'expired':
        outcome.renewed.then(() => {
          if (notice.textContent === texts.expired) say('', texts.renewed);
        });
        return say(texts.expired);
      default:
        return say(texts[outcome.kind]);
    }
  };

  const showRefusal = ({ code, error, field: path }: Refused) => {
    const field = fields.find(({ field }) => path === `values.${field.key}`);
    if (!field) return say(texts.failed);
    const required: ErrorCode = 'value_required';
    field.showError(code === required ? texts.required : error.slice(path.length + 2));
    say(texts.invalid);
    field.focus();
  };

  const showSent = () => {
    const again = element('button', { class: 'plain', type: 'button' }, texts.another);
    const heading = element('h3', { tabindex: '-1' }, texts.sentTitle);
    const sent = element('div', { class: 'sent' }, icon(CHECK), heading, element('p', {}, texts.sent), again);
    const hadFocus = formElement.matches(':focus-within');
    again.addEventListener('click', () => {
      formElement.reset();
      button.textContent = texts.send;
      sent.replaceWith(formElement);
      fields[0]?.focus();
    });
    formElement.replaceWith(sent);
    if (hadFocus) heading.focus();
  };

  formElement.addEventListener('input', () => kept.save(fields, attempt));
  formElement.addEventListener('submit', (event) => {
    event.preventDefault();
    if (sending) return;
    const wrong = fields.filter((field) => {
      const problem = field.problem();
      field.showError(problem);
      return problem !== undefined;
    });
    say(wrong.length > 0 ? texts.invalid : '');
    if (wrong[0]) wrong[0].focus();
    else void send();
  });

  return { node, prefill };
}

function valuesOf(fields: readonly FieldView[]): Values {
  return Object.fromEntries(
    fields.flatMap((view): [string, string | number][] => {
      const value = view.value();
      return value === undefined ? [] : [[view.field.key, value]];
    }),
  );
}
