/** styles.css, minified; set when the widget is bundled (lib/widget-bundle.ts). */
declare const STYLE_SHEET: string;

/** The widget's one style sheet, adopted by its shadow root: a page's policy against inline styles does not touch it. */
export function styleSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE_SHEET);
  return sheet;
}
