import type { VaWaveEvents } from './va-wave.d.ts';

/** Dispatches an event to the page on `document`. The event bubbles to `window`. */
export function emit<E extends keyof VaWaveEvents>(event: E, detail: VaWaveEvents[E]['detail']): void {
  document.dispatchEvent(new CustomEvent(event, { bubbles: true, detail }));
}
