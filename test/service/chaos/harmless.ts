/** An answer, and what the function logged during the call. */
export type Outcome = { readonly status: number; readonly body: string; readonly log: string };

/** A frame of a stack trace, as text or within a JSON string. */
const STACK = /(?:\n|\\n) *at |\.(?:ts|m?js):\d+:\d+|node:internal/;

/** Asserts that an answer is no fault and has no stack trace, and that the log has no error and no secret. */
export function expectHarmless({ status, body, log }: Outcome, secrets: readonly string[]): void {
  // 502 is the regular answer when neither the endpoint nor a topic accepted the form submission.
  if (status !== 502) expect(status).toBeLessThan(500);
  expect(body).not.toMatch(STACK);
  expect(log).not.toMatch(/"level":"ERROR"/);
  for (const secret of secrets) expect(log).not.toContain(secret);
}
