import { ApiError } from '../session/api.ts';

/** A refusal that names a field. */
export type FieldProblem = { readonly field: string; readonly index: number | undefined; readonly text: string };

const NAMED = /^(?:(?:assistant|action)\.)?([a-z_]+)(?:\.(\d+))?(?:\.([a-z_]+))?: (.+)$/s;

/** Which field a refusal is about; undefined when it is about none. */
export function fieldProblem(error: unknown): FieldProblem | undefined {
  if (!(error instanceof ApiError) || error.current !== undefined) return undefined;
  const [, field, index, , text] = NAMED.exec(error.message) ?? [];
  if (field === undefined || text === undefined || field === 'version' || field === 'actions') return undefined;
  return { field, index: index === undefined ? undefined : Number(index), text: sentence(text) };
}

/** What went wrong and what to do, for a person. */
export function describeProblem(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.status === 403) return 'Only admins of the organization may do this. Ask one of them.';
    if (error.status === 404) return 'This no longer exists. Go back to the list and reload it.';
    if (error.status === 429) return 'Too many requests. Wait a minute and try again.';
    if (error.status >= 500) return 'The service failed. Try again; if it stays so, tell the operator.';
    return sentence(error.message.replace(/^[a-z_]+(\.[a-z_0-9]+)*: /, ''));
  }
  return 'No connection to the service. Check your network and try again.';
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
