import type { VaWaveEvents } from './va-wave.d.ts';

// What the widget and its page tell each other: the script tag, the stub and the events. Commands are in va-wave-widget.ts.

/** The settings in the page's script tag. */
export type Settings = NonNullable<ReturnType<typeof readSettings>>;

/** The page's one-line stub: a function that keeps its calls in `q` until the loader starts (docs/widget.md). */
export type Stub = { readonly q: unknown[] };

const NAME = 'va-wave-widget';

/** Returns the settings of the widget's script tag, or undefined when no tag has the widget's file name. */
export function readSettings() {
  const script = [document.currentScript, ...document.scripts]
    .filter((one) => one instanceof HTMLScriptElement)
    .find(({ src }) => src.includes(NAME));
  const base = script && /^https?:\/\/[^/?#]+/.exec(script.src)?.[0];
  if (!script || !base) return undefined;
  const { siteId, sessionToken, debug, language = '', theme, position } = script.dataset;
  return {
    /** Origin of the script. The API has the same origin. */
    base,
    siteId,
    token: sessionToken,
    debug: debug === 'true',
    /** A BCP 47 tag; empty for the page's own language. */
    language,
    /** `light` or `dark`; by default the theme of the visitor's system. */
    theme,
    /** `left` or `right`; by default the side where lines of text end. */
    position,
  };
}

/** Returns the stub that the page has set as `vaWave`, or undefined when there is none or the widget has replaced it. */
export function stubOf(page: Window): Stub | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(page, 'vaWave')?.value;
  return typeof value === 'function' && 'q' in value && Array.isArray(value.q) ? Object(value) : undefined;
}

/** Dispatches an event to the page on `document`. The event bubbles to `window`. */
export function emit<E extends keyof VaWaveEvents>(event: E, detail: VaWaveEvents[E]['detail']): void {
  document.dispatchEvent(new CustomEvent(event, { bubbles: true, detail }));
}
