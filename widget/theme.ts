/** Returns whether the panel is dark: as the tag says, else as the page's `color-scheme` says where it sets one, else as the visitor's system is. */
export function isDark(tag: string | undefined, system: MediaQueryList): boolean {
  const page = getComputedStyle(document.body).colorScheme;
  const meta = document.querySelector<HTMLMetaElement>('meta[name=color-scheme]')?.content;
  const scheme = String([tag, page, meta].find((one = '') => /light|dark/.test(one)));
  const dark = /dark/.test(scheme);
  return dark === /light/.test(scheme) ? system.matches : dark;
}
