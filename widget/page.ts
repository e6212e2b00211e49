import type { VaWaveEvents } from './va-wave.d.ts';

// What the widget and its page tell each other: the script tag, the stub and the events. Commands are in va-wave-widget.ts.

/**
 * The document as its prototypes have it. An element of the page whose name is that of a member, such as `<img name="body">`, stands in the
 * member's place on `document` itself.
 */
export const pageDocument = new Proxy(document, {
  get: (target, name) => {
    const member = Reflect.get(Document.prototype, name, target);
    return typeof member === 'function' ? member.bind(target) : member;
  },
});

export type TagSettings = NonNullable<ReturnType<typeof readSettings>>;

/** The page's one-line stub: a function that keeps its calls in `q` until the loader starts (docs/widget.md). Some make `q` with the first call. */
export type Stub = { readonly q?: unknown[] };

/**
 * Returns the settings of the widget's script tag, or undefined when the page has no tag with the widget's file name. A tag that the page
 * has removed while it loaded does not count. Libraries run a tag of inserted markup by a second one, which has the address alone (jQuery).
 */
export function readSettings() {
  const scripts = [pageDocument.currentScript, ...pageDocument.scripts].filter(
    (one): one is HTMLScriptElement =>
      one instanceof HTMLScriptElement && one.isConnected && one.src.includes('va-wave-widget'),
  );
  const script = scripts.find(({ dataset }) => dataset.siteId || dataset.sessionToken) ?? scripts[0];
  if (!script) return undefined;
  // Who pastes a value also pastes spaces, some of them invisible. No value has any.
  const attribute = (name: string) => script.dataset[name]?.replace(/[\s\u200b-\u200f\u2060]/g, '');
  /** On for any value but false and 0, also an empty one. */
  const debug = !/^(false|0)$/i.test(attribute('debug') ?? '0');
  const oneOf = (name: string, words: RegExp) => {
    const word = attribute(name)?.toLowerCase();
    if (debug && word && !words.test(word)) console.warn(`[va-wave] data-${name}="${word}" is unknown.`);
    return word;
  };
  return {
    script,
    /** Origin of the script. The API has the same origin, and takes no http, which a tag that begins with // has on a page with http. */
    base: (/^\s*\/\//.test(script.getAttribute('src') ?? '') ? script.src.replace('http:', 'https:') : script.src)
      .split('/', 3)
      .join('/'),
    siteId: attribute('siteId'),
    token: attribute('sessionToken'),
    debug,
    /** A BCP 47 tag; empty for the page's own language. */
    language: attribute('language'),
    /** `light` or `dark`; by default the theme of the visitor's system. */
    theme: oneOf('theme', /^(light|dark)$/),
    /** `left` or `right`; by default the side where lines of text end. */
    position: oneOf('position', /^(left|right)$/),
    /** `none` keeps nothing in the browser. */
    storage: oneOf('storage', /^none$/),
  };
}

/** Dispatches an event to the page on `document`. The event bubbles to `window`. */
export function emit<E extends keyof VaWaveEvents>(event: E, detail: VaWaveEvents[E]['detail']): void {
  pageDocument.dispatchEvent(new CustomEvent(event, { bubbles: true, detail }));
}
