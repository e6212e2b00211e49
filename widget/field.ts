import type { FormField } from '../src/contract/actions.ts';
import type { FORM_STRING_MAX_CHARACTERS } from '../src/contract/limits.ts';
import { element } from './dom.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

/** The service drops longer texts, so the field does not accept them. */
const MAX_LENGTH: typeof FORM_STRING_MAX_CHARACTERS = 5000;

type Control = {
  readonly type: string;
  readonly autocomplete?: string;
  readonly inputmode?: string;
  readonly step?: string;
};

/** The browser control of each field type, with the keyboard and the autofill that suit it. */
const CONTROLS: { readonly [type in FormField['type']]: Control } = {
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

export type FieldView = {
  readonly field: FormField;
  readonly node: HTMLElement;
  readonly text: () => string;
  readonly fill: (text: string) => void;
  /** Fills a matching field that the visitor has not changed. */
  readonly prefill: (visitor: VaWaveVisitor) => void;
  /** The value to send; undefined when left empty. */
  readonly value: () => string | number | undefined;
  /** Shows an error message, or removes it. */
  readonly showError: (message: string | undefined) => void;
  /** Returns the message for an invalid value, or undefined. */
  readonly problem: () => string | undefined;
  readonly focus: () => void;
};

let ids = 0;

export function fieldView(field: FormField, texts: Texts): FieldView {
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
    if (message === undefined) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    } else {
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', error.id);
    }
  };
  input.addEventListener('input', () => showError(undefined));

  return {
    field,
    node: element('div', { class: 'field' }, label, input, error),
    text: () => input.value,
    fill: (text) => {
      input.value = text;
    },
    prefill: ({ name, email, fields }) => {
      const byKey = new Map(Object.entries(Object(fields))).get(field.key);
      const text = byKey ?? (type === 'email' ? email : known === 'name' ? name : undefined);
      // The browser shows the default value until the visitor changes the field, and again after a reset.
      if (typeof text === 'string') input.defaultValue = text.slice(0, MAX_LENGTH);
    },
    value: () => {
      if (input.value === '') return undefined;
      return type === 'number' ? Number(input.value) : input.value;
    },
    showError,
    problem: () => {
      if (input.validity.badInput) return texts.number;
      if (field.required && input.value.trim() === '') return texts.required;
      return input.validity.typeMismatch ? texts.email : undefined;
    },
    focus: () => input.focus(),
  };
}
