import type { VaWaveEvents } from './va-wave.d.ts';

/** Tells the page, on `document`; the event bubbles to `window`. */
export function emit<E extends keyof VaWaveEvents>(event: E, detail: VaWaveEvents[E]['detail']): void {
  document.dispatchEvent(new CustomEvent(event, { bubbles: true, detail }));
}
