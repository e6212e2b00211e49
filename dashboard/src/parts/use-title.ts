import { useEffect } from 'react';

/** Sets the title of the page, which the browser shows and screen readers announce. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · va-wave`;
  }, [title]);
}
