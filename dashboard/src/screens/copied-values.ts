import { NAME_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import type { ActionValues } from './action-settings.tsx';

/** Returns the values of a copy that differ from the original: it is off, and no endpoint knows its form fields yet. */
export const copiedValues = ({ name, form_fields }: Pick<ActionValues, 'name' | 'form_fields'>) => ({
  name: `Copy of ${name}`.slice(0, NAME_MAX_CHARACTERS),
  enabled: false,
  form_fields: form_fields.map((field) => ({ ...field, id: crypto.randomUUID(), isKnownToEndpoint: false })),
});
