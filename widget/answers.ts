import type { InitResponse } from '../src/contract/widget.ts';

// Parses the answers of the API and relies on nothing that it has not checked.

/** Returns the message of an error answer, or an empty text. */
export function errorOf(body: unknown): string {
  return hasTexts(body, 'error') ? body.error : '';
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
