import type { ErrorResponse } from '../src/contract/error-response.ts';
import type { InitResponse } from '../src/contract/widget.ts';

// Parses the answers of the API and relies on nothing that it has not checked.

/** The parts of an error answer. A part that the answer does not have is an empty text. */
export type Refused = Readonly<Record<keyof Pick<ErrorResponse, 'code' | 'error' | 'field'>, string>>;

export function errorOf(body: unknown): Refused {
  const text = (name: keyof Refused) => (hasTexts(body, name) ? body[name] : '');
  return { code: text('code'), error: text('error'), field: text('field') };
}

/** Returns the id of an accepted submission, or undefined for any other answer. */
export function submissionOf(body: unknown): string | undefined {
  return Object(body).success === true ? String(Object(body).submission_id) : undefined;
}

/** Returns whether init's answer has everything that the panel needs. */
export function isInitResponse(body: unknown): body is InitResponse {
  const { success, conversation_id, forms } = Object(body);
  return (
    success === true &&
    (conversation_id === null || hasTexts(body, 'conversation_id')) &&
    hasTexts(body, 'visitor_id') &&
    Array.isArray(forms) &&
    forms.every(
      (form) =>
        hasTexts(form, 'slug', 'name') &&
        Array.isArray(Object(form).fields) &&
        Object(form).fields.every((field: unknown) => hasTexts(field, 'key', 'label', 'type')),
    )
  );
}

function hasTexts<N extends string>(value: unknown, ...names: N[]): value is Record<N, string> {
  return names.every((name) => typeof Object(value)[name] === 'string');
}
