/**
 * The widget's one style sheet, adopted by its shadow root: a page's policy against inline styles does not touch it.
 * `:host` is all `!important`, because an important rule inside a shadow root wins over any rule of the page. Lengths are px,
 * since rem is the page's. Colours of the page come in only by the custom properties in docs/widget.md.
 */

const LIGHT = `
  --bg: #fff; --fg: #17181c; --muted: #5b5f6b; --line: #868b98; --soft: #f3f4f7; --hairline: #e3e5ea;
  --bad: #b42318; --bad-bg: #fef1f0; --good: #067647; color-scheme: light;`;

const DARK = `
  --bg: #1b1c21; --fg: #f1f2f5; --muted: #a9adba; --line: #7b8090; --soft: #26282f; --hairline: #34363f;
  --bad: #ff9c92; --bad-bg: #3a1d1c; --good: #5fd39b; color-scheme: dark;`;

const CSS = `
:host {
  all: initial !important; display: block !important; position: fixed !important; inset: auto !important;
  width: 0 !important; height: 0 !important; overflow: visible !important; z-index: 2147483647 !important;
}
.root {${LIGHT}
  --accent: var(--va-wave-accent, #4f46e5); --on-accent: var(--va-wave-accent-text, #fff);
  --radius: var(--va-wave-radius, 16px); --x: var(--va-wave-offset-x, 20px); --y: var(--va-wave-offset-y, 20px);
  font: 15px/1.5 var(--va-wave-font, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif);
  color: var(--fg); text-align: start; -webkit-text-size-adjust: 100%;
}
@media (prefers-color-scheme: dark) { .root:not([data-theme=light]) {${DARK}} }
.root[data-theme=dark] {${DARK}}
*, ::before, ::after { box-sizing: border-box; }
button, input, textarea { font: inherit; color: inherit; letter-spacing: inherit; margin: 0; }
button { cursor: pointer; touch-action: manipulation; -webkit-tap-highlight-color: transparent; }
svg { display: block; width: 24px; height: 24px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
h2, p { margin: 0; }
[hidden] { display: none !important; }
:focus-visible { outline: 3px solid var(--fg); outline-offset: 2px; }
h2:focus-visible { outline: none; }

.launcher {
  position: fixed; inset-block-end: calc(var(--y) + env(safe-area-inset-bottom)); inset-inline-end: var(--x);
  display: grid; place-items: center; width: 60px; height: 60px; padding: 0;
  border: 1px solid transparent; border-radius: 50%; background: var(--accent); color: var(--on-accent);
  box-shadow: 0 6px 20px rgb(0 0 0 / .28), 0 1px 4px rgb(0 0 0 / .2);
}
.launcher:hover { filter: brightness(1.08); }
.launcher:focus-visible { outline: 3px solid #fff; outline-offset: 0; box-shadow: 0 0 0 6px #17181c; }
.launcher svg { width: 28px; height: 28px; }
.launcher[aria-expanded=true] svg:first-child, .launcher[aria-expanded=false] svg:last-child { display: none; }

.panel {
  position: fixed; inset: auto; inset-block-end: calc(var(--y) + 74px + env(safe-area-inset-bottom)); inset-inline-end: var(--x);
  width: 384px; max-width: calc(100vw - 2 * var(--x)); height: auto; max-height: min(680px, calc(100dvh - var(--y) - 94px));
  margin: 0; padding: 0; border: 1px solid var(--hairline); border-radius: var(--radius); overflow: hidden;
  background: var(--bg); color: var(--fg); box-shadow: 0 16px 48px rgb(0 0 0 / .24), 0 2px 8px rgb(0 0 0 / .12);
  flex-direction: column;
}
.panel[open] { display: flex; }
.panel::backdrop { background: none; }
[data-position=left] > * { left: var(--x); right: auto; }
[data-position=right] > * { right: var(--x); left: auto; }
.root > .full {
  inset: 0; width: 100vw; max-width: none; height: 100dvh; max-height: none; border: 0; border-radius: 0;
}
.bar { display: flex; align-items: center; gap: 4px; min-height: 64px; padding: 10px 10px 10px 20px; background: var(--accent); color: var(--on-accent); }
[dir=rtl] .bar { padding: 10px 20px 10px 10px; }
.bar h2 { flex: 1; min-width: 0; font-size: 18px; line-height: 1.3; font-weight: 650; overflow-wrap: anywhere; }
.bar button { display: grid; place-items: center; flex: none; width: 40px; height: 40px; padding: 0; border: 1px solid transparent; border-radius: 50%; background: none; }
.bar button:hover { background: rgb(255 255 255 / .16); }
.bar button:focus-visible { outline-color: currentColor; outline-offset: -3px; }
.bar .back { margin-inline-start: -12px; }
[dir=rtl] .back svg, [dir=rtl] .topic svg { transform: scaleX(-1); }
.body { overflow: auto; overscroll-behavior: contain; padding: 20px; flex: 1 1 auto; min-height: 0; }
.full .body { padding-block-end: calc(20px + env(safe-area-inset-bottom)); }

.intro { color: var(--muted); margin-block-end: 14px; }
.topics { display: grid; gap: 10px; margin: 0; padding: 0; list-style: none; }
.topic {
  display: flex; align-items: center; justify-content: space-between; gap: 12px; width: 100%; min-height: 56px; padding: 12px 16px;
  border: 1px solid var(--line); border-radius: 12px; background: var(--bg); text-align: start; font-weight: 600; overflow-wrap: anywhere;
}
.topic:hover { background: var(--soft); }
.topic svg { flex: none; width: 20px; height: 20px; color: var(--muted); }

.field { margin-block-end: 14px; }
label { display: block; margin-block-end: 4px; font-weight: 600; overflow-wrap: anywhere; }
label span { font-weight: 400; color: var(--muted); }
input, textarea {
  display: block; width: 100%; min-height: 44px; padding: 9px 12px; font-size: 16px; line-height: 1.4;
  border: 1px solid var(--line); border-radius: 10px; background: var(--bg); color: var(--fg); appearance: none;
}
textarea { min-height: 92px; resize: vertical; }
input[type=number] { appearance: textfield; }
:is(input, textarea):focus-visible { outline: 2px solid var(--fg); outline-offset: 0; border-color: var(--fg); }
[aria-invalid=true] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.error { margin-block-start: 6px; color: var(--bad); font-size: 14px; }
.notice { margin-block-end: 16px; padding: 10px 14px; border: 1px solid var(--bad); border-radius: 10px; background: var(--bad-bg); color: var(--bad); font-size: 14px; }
.notice.calm { border-color: var(--hairline); background: var(--soft); color: var(--fg); }
.notice:empty { display: none; }
.main {
  display: block; width: 100%; min-height: 48px; padding: 10px 16px; border: 1px solid transparent; border-radius: 10px;
  background: var(--accent); color: var(--on-accent); font-weight: 650; font-size: 16px;
}
.main:hover { filter: brightness(1.08); }
.main[aria-disabled=true] { cursor: progress; filter: saturate(.55); }
.sent { text-align: center; padding-block: 16px 4px; }
.sent svg { width: 56px; height: 56px; margin: 0 auto 12px; padding: 12px; border-radius: 50%; color: var(--good); background: var(--soft); }
.sent h3 { margin: 0; font-size: 20px; line-height: 1.3; }
.sent p { color: var(--muted); margin-block-end: 20px; overflow-wrap: anywhere; }
.plain { min-height: 44px; padding: 8px 18px; border: 1px solid var(--line); border-radius: 10px; background: none; font-weight: 600; }
.plain:hover { background: var(--soft); }

/* What the widget says may run the other way than the page: its full stops stay at its end. */
.notice, .error, .intro, .sent p { unicode-bidi: plaintext; }
[dir=rtl] :is(.notice, .error, .intro, [type=email]) { text-align: right; }
[dir=rtl] [type=email] { direction: ltr; }

@media (prefers-reduced-motion: no-preference) {
  .panel[open]:not(.full) { animation: rise .18s ease-out; }
  @keyframes rise { from { opacity: 0; transform: translateY(12px); } }
}
@media (forced-colors: active) {
  .launcher, .main { border-color: ButtonText; }
  .bar { border-block-end: 1px solid CanvasText; }
  [aria-invalid=true] { outline: 2px solid Mark; }
}
@media print { :host { display: none !important; } }
`;

export function styleSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  return sheet;
}
