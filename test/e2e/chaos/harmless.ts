/** An answer, and what the function logged meanwhile. */
export type Outcome = { readonly status: number; readonly body: string; readonly log: string };

/** A frame of a stack, as it is or within a JSON string. */
const STACK = /(?:\n|\\n) *at |\.(?:ts|m?js):\d+:\d+|node:internal/;

/** Holds for every answer, whatever was asked: no fault, no stack trace, no secret in the log. */
export function expectHarmless({ status, body, log }: Outcome, secrets: readonly string[]): void {
  // 502: nobody took the form submission, which is an answer and not a fault.
  if (status !== 502) expect(status).toBeLessThan(500);
  expect(body).not.toMatch(STACK);
  expect(log).not.toMatch(/"level":"ERROR"/);
  for (const secret of secrets) expect(log).not.toContain(secret);
}
