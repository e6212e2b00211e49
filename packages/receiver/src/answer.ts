import { type ReceivedRequest, readRawBody } from './request.ts';
import { VerificationError, type Verify } from './verification.ts';

/** What every ready handler offers. */
export type HandlerOptions = {
  /** Called with the reason of each refusal, for a log. When it throws, the process emits a warning and the sender gets its answer. */
  readonly onRefused?: ((error: VerificationError) => unknown) | undefined;
};

/** What a function returns that has no return statement. */
type Nothing = ReturnType<() => void>;

/** What a program does with a verified request. The value that it returns is the answer, as JSON; without one the answer only confirms the receipt. */
export type Handle<Verified, Given extends object> = (
  verified: Verified,
) => Promise<Given | undefined> | Promise<Nothing> | Given | undefined | Nothing;

export type Answer = {
  readonly status: number;
  readonly headers: { readonly 'content-type': 'application/json' };
  readonly body: string;
};

/**
 * Verifies a request and answers it: 200 with what `handle` returns, or with `{"received":true}`, or the status and the reason of a refusal.
 * @throws what `handle` throws, so that the framework answers 5xx and the service sends an event again
 */
export async function answerOf<Verified, Given extends object>(
  request: ReceivedRequest,
  verify: Verify<Verified>,
  handle: Handle<Verified, Given>,
  options: HandlerOptions,
): Promise<Answer> {
  let verifiedRequest: Verified;
  try {
    verifiedRequest = verify(await readRawBody(request), request.headers ?? {});
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    await tellRefused(error, options);
    return refusedAnswer(error);
  }
  return jsonAnswer(200, (await handle(verifiedRequest)) ?? { received: true });
}

export function refusedAnswer(error: VerificationError): Answer {
  return jsonAnswer(error.status, { error: error.message });
}

function jsonAnswer(status: number, body: object): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Tells the program about a refusal. An error of the program ends neither the answer nor the process. */
export async function tellRefused(error: VerificationError, { onRefused }: HandlerOptions): Promise<void> {
  try {
    await onRefused?.(error);
  } catch (cause) {
    process.emitWarning(`onRefused threw ${cause instanceof Error ? cause.stack : String(cause)}`);
  }
}
