/** styles.css, minified. The bundler sets it (lib/widget-bundle.ts). */
declare const STYLE_SHEET: string;

/** Returns the style sheet for the shadow root. A page's content security policy for inline styles does not block it. */
export function styleSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE_SHEET);
  return sheet;
}
