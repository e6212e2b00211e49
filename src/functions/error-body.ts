import type { ErrorCode, ErrorResponse } from '../contract/errors.ts';
import type { Refusal } from '../domain/refusal.ts';

/** A refusal, or an internal error, which names no field. */
type Failed = { readonly code: ErrorCode; readonly message: string } & Partial<
  Pick<Refusal, 'field' | 'fields' | 'submissionId'>
>;

export const errorBody = ({ code, message, field, fields = [], submissionId }: Failed): ErrorResponse => ({
  success: false,
  code,
  error: message,
  field,
  fields: fields.length === 0 ? undefined : [...fields],
  submission_id: submissionId,
});
