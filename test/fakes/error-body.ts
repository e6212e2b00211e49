import type { ErrorResponse } from '../../src/contract/errors.ts';
import { INTERNAL_ERROR, REFUSAL_CODES, REFUSALS } from '../../src/contract/errors.ts';

/** Returns the body of the error response with this message: a message of the contract, or the problem of a field. */
export function errorBody(message: string): ErrorResponse {
  if (message === INTERNAL_ERROR.message) return { success: false, code: INTERNAL_ERROR.code, error: message };
  const code = REFUSAL_CODES.find((known) => REFUSALS[known].message === message);
  const [, field, problem] = /^([\w.]+): (.*)$/.exec(message) ?? [];
  if (field === undefined && code !== undefined) return { success: false, code, error: message };
  if (field === undefined || problem === undefined) throw new Error(`No refusal has the message ${message}`);
  return {
    success: false,
    code: code ?? (field.startsWith('values.') && problem === 'is required' ? 'value_required' : 'invalid_request'),
    error: message,
    field,
    fields: [{ field, problem }],
  };
}
