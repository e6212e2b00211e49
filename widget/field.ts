import type { FormField } from '../src/contract/actions.ts';
import type { FORM_STRING_MAX_CHARACTERS } from '../src/contract/limits.ts';
import { autofill } from './autofill.ts';
import { element } from './dom.ts';
import type { Announce } from './form.ts';
import { type Content, readNumber } from './numbers.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

/** The service drops longer texts. */
const MAX_CHARACTERS: typeof FORM_STRING_MAX_CHARACTERS = 5000;

const AS_TYPED = { autocapitalize: 'none', spellcheck: 'false' };

/**
 * The attributes of each field type: the keyboard and the autofill that suit it. Browsers rewrite what is typed into inputs of the types
 * `email` (ü of a domain) and `number` (long numbers, separators), each in its own way, so the widget reads the text itself.
 */
const CONTROLS: { readonly [type in FormField['type']]: { readonly [hint: string]: string } } = {
  Text: { type: 'text' },
  Email: { type: 'text', autocomplete: 'email', inputmode: 'email', ...AS_TYPED },
  Phone: { type: 'tel', autocomplete: 'tel', inputmode: 'tel' },
  Number: { type: 'text', inputmode: 'decimal', ...AS_TYPED },
  'Long text': {},
};

export type FieldView = ReturnType<typeof fieldView>;

let createdFields = 0;

/** Creates the label, the input and the error message of a field. Labels may be in any language. */
export function fieldView(field: FormField, texts: Texts, announce: Announce) {
  const id = `field-${++createdFields}`;
  // A service that is newer than this loader can have other types.
  const hints = CONTROLS[field.type] ?? CONTROLS.Text;
  const autocomplete = hints.autocomplete ?? (field.type === 'Text' ? autofill(field, texts) : undefined);
  const input = element(field.type === 'Long text' ? 'textarea' : 'input', {
    id,
    // With a prefix, because an input's name hides the property of its form that has this name, such as `reset`.
    name: `field-${field.key}`,
    required: field.required,
    ...hints,
    autocomplete,
    'aria-describedby': `${id}-error`,
  });
  const label = element('label', { for: id }, element('bdi', { lang: '' }, field.label));
  if (!field.required) label.append(' ', element('span', {}, texts.optional));
  const error = element('p', { class: 'error', id: `${id}-error` });

  const showError = (message = '') => {
    error.textContent = message;
    input.setAttribute('aria-invalid', String(!!message));
  };
  /** Counts as the service does, by code points. Libraries replace Array.from by a function that takes a text as one item (MooTools). */
  const tooLong = () => {
    const excess = [...input.value].length - MAX_CHARACTERS;
    return excess > 0 ? `${texts.tooLong} ${excess}` : undefined;
  };
  const content = (): Content => {
    const problem = tooLong();
    if (problem) return { problem };
    const text = input.value.trim();
    if (!text) return field.required ? { problem: texts.required } : {};
    if (field.type === 'Number') return readNumber(text, texts);
    if (field.type === 'Email' && !/^[^\s@,;<>]+@[^\s@,;<>]+$/.test(text)) return { problem: texts.email };
    return { json: JSON.stringify(text) };
  };
  input.oninput = () => {
    const problem = tooLong();
    if (problem && !error.textContent) announce(problem);
    showError(problem);
  };

  return {
    field,
    node: element('div', { class: 'field' }, label, input, error),
    input,
    /** Fills a matching field that the visitor has not changed. */
    prefill: ({ name, email, fields }: VaWaveVisitor) => {
      const byKey = Object(fields)[field.key];
      const text = byKey ?? (autocomplete === 'email' ? email : autocomplete === 'name' ? name : undefined);
      // The browser shows the default value until the visitor changes the field, and again after a reset.
      if (typeof text === 'string') input.defaultValue = text;
    },
    /** Returns the key with the JSON of the value to send, or nothing when the field is empty. */
    entries: (): (readonly [string, string])[] => {
      const { json } = content();
      return json ? [[field.key, json]] : [];
    },
    showError,
    /** Returns whether the value may be sent, and shows why not. */
    check: (): boolean => {
      const { problem } = content();
      showError(problem);
      return problem === undefined;
    },
  };
}
