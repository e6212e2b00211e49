import { pageDocument } from './page.ts';

/** Returns whether the panel is dark: as the tag says, else as the page's `color-scheme` says where it sets one, else as the visitor's system is. */
export function isDark(tagTheme: string | undefined, prefersDark: MediaQueryList): boolean {
  const pageScheme = getComputedStyle(pageDocument.body).colorScheme;
  const metaScheme = pageDocument.querySelector<HTMLMetaElement>('meta[name=color-scheme]')?.content;
  const scheme = String([tagTheme, pageScheme, metaScheme].find((one = '') => /light|dark/.test(one)));
  const dark = /dark/.test(scheme);
  // A page that names both schemes, or none, leaves the choice to the system.
  return dark === /light/.test(scheme) ? prefersDark.matches : dark;
}
