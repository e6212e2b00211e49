import type { FormField } from '../src/contract/actions.ts';
import type { FORM_STRING_MAX_CHARACTERS } from '../src/contract/limits.ts';
import { element } from './dom.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

/** The service drops longer texts, so the field does not accept them. */
const MAX_LENGTH: typeof FORM_STRING_MAX_CHARACTERS = 5000;

/** The browser control of each field type, with the keyboard and the autofill that suit it. */
const CONTROLS: { readonly [type in FormField['type']]: { readonly type: string; readonly [hint: string]: string } } = {
  Text: { type: 'text' },
  Email: { type: 'email', autocomplete: 'email', inputmode: 'email' },
  Phone: { type: 'tel', autocomplete: 'tel', inputmode: 'tel' },
  Number: { type: 'number', inputmode: 'decimal', step: 'any' },
  'Long text': { type: 'textarea' },
};

/** Autofill of Text fields by their key (WCAG 1.3.5). */
const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  name: 'name',
  full_name: 'name',
  first_name: 'given-name',
  last_name: 'family-name',
  company: 'organization',
  organization: 'organization',
  street: 'street-address',
  address: 'street-address',
  city: 'address-level2',
  zip: 'postal-code',
  postal_code: 'postal-code',
  country: 'country-name',
  website: 'url',
};

export type FieldView = ReturnType<typeof fieldView>;

let ids = 0;

export function fieldView(field: FormField, texts: Texts) {
  const id = `field-${++ids}`;
  const { type, ...hints } = CONTROLS[field.type] ?? CONTROLS.Text;
  const known = type === 'text' && Object.hasOwn(AUTOCOMPLETE, field.key) ? AUTOCOMPLETE[field.key] : undefined;
  const attributes = {
    id,
    // With a prefix, because an input's name hides the property of its form that has this name, such as `reset`.
    name: `field-${field.key}`,
    required: field.required,
    autocomplete: known,
    ...hints,
    maxlength: type === 'number' ? undefined : String(MAX_LENGTH),
  };
  const input = type === 'textarea' ? element('textarea', attributes) : element('input', { type, ...attributes });
  const label = element('label', { for: id }, element('bdi', { lang: document.documentElement.lang }, field.label));
  if (!field.required) label.append(' ', element('span', {}, texts.optional));
  const error = element('p', { class: 'error', id: `${id}-error`, hidden: true });

  const showError = (message: string | undefined) => {
    error.textContent = message ?? '';
    error.hidden = message === undefined;
    for (const [name, value] of [
      ['aria-invalid', 'true'],
      ['aria-describedby', error.id],
    ] as const) {
      if (message === undefined) input.removeAttribute(name);
      else input.setAttribute(name, value);
    }
  };
  input.addEventListener('input', () => showError(undefined));

  return {
    field,
    node: element('div', { class: 'field' }, label, input, error),
    input,
    /** Fills a matching field that the visitor has not changed. */
    prefill: ({ name, email, fields }: VaWaveVisitor) => {
      const byKey = new Map(Object.entries(Object(fields))).get(field.key);
      const text = byKey ?? (type === 'email' ? email : known === 'name' ? name : undefined);
      // The browser shows the default value until the visitor changes the field, and again after a reset.
      if (typeof text === 'string') input.defaultValue = text.slice(0, MAX_LENGTH);
    },
    /** Returns the key with the value to send, or nothing when the field is empty. */
    entries: (): (readonly [string, string | number])[] =>
      input.value === '' ? [] : [[field.key, type === 'number' ? Number(input.value) : input.value]],
    /** Shows an error message, or removes it. */
    showError,
    /** Returns whether the value may be sent, and shows why not. */
    check: (): boolean => {
      const missing = field.required && input.value.trim() === '';
      const { badInput, typeMismatch } = input.validity;
      const problem = badInput ? texts.number : missing ? texts.required : typeMismatch ? texts.email : undefined;
      showError(problem);
      return problem === undefined;
    },
  };
}
