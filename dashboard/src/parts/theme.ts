import { useSyncExternalStore } from 'react';

/** The themes by the value that public/theme.js reads. */
export const THEMES = [
  { id: 'system', text: 'As the system' },
  { id: 'light', text: 'Light' },
  { id: 'dark', text: 'Dark' },
] as const;

const KEY = 'va-wave.theme';

/** Returns the chosen theme, also when another tab changes it. */
export function useTheme(): string {
  return useSyncExternalStore(subscribe, () => window.localStorage.getItem(KEY) ?? 'system');
}

/** Applies a theme to all tabs of this browser, and keeps it. */
export function chooseTheme(theme: string): void {
  window.localStorage.setItem(KEY, theme);
  // The browser sends the event to the other tabs only.
  window.dispatchEvent(new StorageEvent('storage'));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
}
