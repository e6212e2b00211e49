import type { InitResponse } from '../src/contract/widget.ts';

/** Reads what the API answered, believing none of it. */

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The message of an error answer, else an empty text. */
export function errorOf(body: unknown): string {
  return isObject(body) && typeof body.error === 'string' ? body.error : '';
}

export function isSuccess(body: unknown): boolean {
  return isObject(body) && body.success === true;
}

/** Whether init's answer holds all that the panel is made from. */
export function isInitResponse(body: unknown): body is InitResponse {
  if (!isObject(body) || !isSuccess(body) || !Array.isArray(body.forms)) return false;
  return (
    hasTexts(body, 'site_id', 'visitor_id', 'conversation_id') &&
    body.forms.every(
      (form) =>
        hasTexts(form, 'slug', 'name') &&
        Array.isArray(form.fields) &&
        form.fields.every((field: unknown) => hasTexts(field, 'key', 'label', 'type')),
    )
  );
}

function hasTexts(value: unknown, ...names: string[]): value is Record<string, unknown> {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}
