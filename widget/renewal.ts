import { emit } from './emit.ts';

/** How long the page has to set a new token before the widget shows that the session has expired. */
const TIMEOUT_MS = 5000;

/**
 * Asks the page for a new session token with the event `va-wave:token-expired`. Requests that wait at the same time share one
 * event.
 */
export function tokenRenewal() {
  let waiting: Promise<boolean> | undefined;
  let arrived = () => {};
  let next = nextToken();

  function nextToken(): Promise<void> {
    return new Promise((resolve) => {
      arrived = resolve;
    });
  }

  return {
    /** Resolves to true when the page has set a new token, or to false after 5 seconds without one. */
    ask(): Promise<boolean> {
      if (waiting) return waiting;
      const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, TIMEOUT_MS, false));
      waiting = Promise.race([next.then(() => true), timeout]).finally(() => {
        waiting = undefined;
      });
      emit('va-wave:token-expired', null);
      return waiting;
    },
    /** Resolves when the page sets the next token. There is no timeout. */
    arrival: () => next,
    settle(): void {
      arrived();
      next = nextToken();
    },
  };
}
