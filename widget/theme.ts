/**
 * Calls `show` with whether the panel is dark, now and after each change: as the tag says, else as the page's `color-scheme` says where it
 * sets one, else as the visitor's system is set. Pages switch their theme by an attribute of `html` or `body`.
 * @returns what ends the calls
 */
export function watchTheme(tag: string | undefined, show: (isDark: boolean) => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const update = () => {
    const page = getComputedStyle(document.body).colorScheme;
    const meta = document.querySelector<HTMLMetaElement>('meta[name=color-scheme]')?.content;
    const scheme = String([tag, page, meta].find((one = '') => /light|dark/.test(one)));
    const dark = /dark/.test(scheme);
    show(dark === /light/.test(scheme) ? system.matches : dark);
  };
  const observer = new MutationObserver(update);
  for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true });
  system.onchange = update;
  update();
  return () => {
    observer.disconnect();
    system.onchange = null;
  };
}
