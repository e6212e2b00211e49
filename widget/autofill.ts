import type { FormField } from '../src/contract/actions.ts';

/** Returns the autofill token (WCAG 1.3.5) for a field's label or key, whatever its case and accents, from the texts' `token:name,name;…`. */
export function autofill(
  { label, key }: Pick<FormField, 'label' | 'key'>,
  { autofill }: Readonly<Record<'autofill', string>>,
): string | undefined {
  for (const fieldName of [label, key]) {
    for (const line of autofill.split(';')) {
      const [token, ...names] = line.split(/[:,]/);
      const isAsked = (name: string) =>
        name.localeCompare(fieldName, 'en', { sensitivity: 'base', ignorePunctuation: true }) === 0;
      if (names.some(isAsked)) return token;
    }
  }
  return undefined;
}
