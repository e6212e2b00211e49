/** What the page says in its script tag. */
export type Settings = {
  /** Origin of the script, which is where the API is. */
  readonly base: string;
  readonly siteId: string | undefined;
  readonly token: string | undefined;
  readonly debug: boolean;
  /** A BCP 47 tag; empty for the page's own language. */
  readonly language: string;
  /** Whether the launcher waits for `show`. */
  readonly hidden: boolean;
  /** `light` or `dark`; anything else follows the visitor's system. */
  readonly theme: string;
  /** `left` or `right`; anything else is where lines of text end. */
  readonly position: string;
};

const NAME = 'va-wave-widget';

/** The settings of our own tag; undefined when there is none, as under a renamed file. */
export function readSettings(): Settings | undefined {
  const script = ownScript();
  const base = script && /^https?:\/\/[^/?#]+/.exec(script.src)?.[0];
  if (!script || !base) return undefined;
  const { siteId, sessionToken, debug, language = '', launcher, theme = '', position = '' } = script.dataset;
  return {
    base,
    siteId,
    token: sessionToken,
    debug: debug === 'true',
    language,
    hidden: launcher === 'hidden',
    theme,
    position,
  };
}

function ownScript(): HTMLScriptElement | undefined {
  const current = document.currentScript;
  if (current instanceof HTMLScriptElement && current.src.includes(NAME)) return current;
  return [...document.scripts].find((script) => script.src.includes(NAME));
}
