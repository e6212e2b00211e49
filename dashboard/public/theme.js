// Applies the theme before the first paint, so that a dark page does not flash. The account menu (src/parts/top-bar.tsx) stores the choice and sends `storage`.
const dark = matchMedia('(prefers-color-scheme: dark)');
// A browser that blocks site data throws.
const chosen = () => {
  try {
    return localStorage.getItem('va-wave.theme');
  } catch {
    return null;
  }
};
const apply = () => {
  const theme = chosen();
  const isDark = theme === 'dark' || (theme !== 'light' && dark.matches);
  // Components of Cloudscape find their mode by this class, and observe the body for it.
  for (const element of [document.documentElement, document.body]) element?.classList.toggle('awsui-dark-mode', isDark);
};
dark.addEventListener('change', apply);
addEventListener('storage', apply);
// Only now is there a body.
addEventListener('DOMContentLoaded', apply);
apply();
