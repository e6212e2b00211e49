import type { VaWaveEvents } from './va-wave.d.ts';

// What the widget and its page tell each other: the script tag, the stub and the events. Commands are in va-wave-widget.ts.

/** The settings in the page's script tag. */
export type Settings = NonNullable<ReturnType<typeof readSettings>>;

/** The page's one-line stub: a function that keeps its calls in `q` until the loader starts (docs/widget.md). Some make `q` with the first call. */
export type Stub = { readonly q?: unknown[] };

const NAME = 'va-wave-widget';

/**
 * Returns the settings of the widget's script tag, or undefined when the page has no tag with the widget's file name. A tag that the page
 * has removed while it loaded does not count. Libraries run a tag of inserted markup by a second one, which has the address alone (jQuery).
 */
export function readSettings() {
  const scripts = [document.currentScript, ...document.scripts].filter(
    (one): one is HTMLScriptElement => one instanceof HTMLScriptElement && one.isConnected && one.src.includes(NAME),
  );
  const script = scripts.find(({ dataset }) => dataset.siteId || dataset.sessionToken) ?? scripts[0];
  if (!script) return undefined;
  const base = script.src.split('/', 3).join('/');
  // Who pastes a value also pastes spaces, some of them invisible. No value has any.
  const given = (name: string) => script.dataset[name]?.replace(/[\s\u200b-\u200f\u2060]/g, '');
  return {
    script,
    /** Origin of the script. The API has the same origin. */
    base,
    siteId: given('siteId'),
    token: given('sessionToken'),
    /** On for any value but false and 0, also an empty one. */
    debug: !/^(false|0)$/i.test(given('debug') ?? '0'),
    /** A BCP 47 tag; empty for the page's own language. */
    language: given('language'),
    /** `light` or `dark`; by default the theme of the visitor's system. */
    theme: given('theme')?.toLowerCase(),
    /** `left` or `right`; by default the side where lines of text end. */
    position: given('position')?.toLowerCase(),
  };
}

/** Dispatches an event to the page on `document`. The event bubbles to `window`. */
export function emit<E extends keyof VaWaveEvents>(event: E, detail: VaWaveEvents[E]['detail']): void {
  document.dispatchEvent(new CustomEvent(event, { bubbles: true, detail }));
}
