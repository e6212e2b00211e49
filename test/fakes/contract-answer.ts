import { errorResponse, INTERNAL_ERROR, REFUSALS, type RefusalCode } from '../../src/contract/errors.ts';
import { PUBLIC_OPERATIONS } from '../../src/contract/public-operations.ts';

/**
 * Checks an answer of a public route against the contract: its body has exactly the fields of the operation's answer, or it is one of
 * the operation's refusals with the status of its code. Ignores paths without an operation.
 */
export function expectContract(
  path: string,
  { status, body }: { readonly status: number | undefined; readonly body: unknown },
): void {
  const operation = Object.values(PUBLIC_OPERATIONS).find(({ path: pattern }) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  if (operation === undefined) return;
  const schema = status === 200 ? operation.answer : errorResponse;
  expect(schema.parse(body)).toEqual(body);
  if (status === 200) return;
  const { code } = errorResponse.parse(body);
  const refusals: readonly RefusalCode[] = operation.refusals;
  const known = code === INTERNAL_ERROR.code ? INTERNAL_ERROR : REFUSALS[code];
  const listed = code === INTERNAL_ERROR.code || refusals.includes(code);
  expect({ code, status, listed }).toEqual({ code, status: known.status, listed: true });
}
