/** The settings in the page's script tag. */
export type Settings = {
  /** Origin of the script. The API has the same origin. */
  readonly base: string;
  readonly siteId: string | undefined;
  readonly token: string | undefined;
  readonly debug: boolean;
  /** A BCP 47 tag; empty for the page's own language. */
  readonly language: string;
  /** Whether the launcher stays hidden until `show`. */
  readonly hidden: boolean;
  /** `light` or `dark`; any other value means the theme of the visitor's system. */
  readonly theme: string;
  /** `left` or `right`; any other value means the side where lines of text end. */
  readonly position: string;
};

const NAME = 'va-wave-widget';

/** Returns the settings of the widget's script tag, or undefined when no tag has the widget's file name. */
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
