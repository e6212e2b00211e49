import { emit } from './emit.ts';

/** How long the page has to hand over a new token before the visitor is told. */
const PATIENCE_MS = 5000;

/**
 * Asks the page for a new session token by the event `va-wave:token-expired`. However many requests wait, the page is
 * asked once.
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
    /** Resolves true once a new token is there, false when the page let the time pass. */
    ask(): Promise<boolean> {
      waiting ??= new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE_MS, false);
        next.then(() => {
          clearTimeout(timer);
          resolve(true);
        });
        emit('va-wave:token-expired', null);
      }).finally(() => {
        waiting = undefined;
      });
      return waiting;
    },
    /** Resolves with the next token, however late. */
    arrival: () => next,
    settle(): void {
      arrived();
      next = nextToken();
    },
  };
}
