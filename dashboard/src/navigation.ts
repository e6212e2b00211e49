import { useSyncExternalStore } from 'react';

/** The screen that a path selects. The dashboard is small and needs no router package. */
export type Place = {
  /** Id of the organization; undefined at `ROOT`, which shows the first organization of the user. */
  readonly org: string | undefined;
  readonly screen: 'assistants' | 'members' | 'audit';
  /** Site ID of the assistant that is open; undefined on a screen of the organization. */
  readonly site: string | undefined;
  readonly tab: 'general' | 'deploy' | 'intelligence';
  /** Id of the Action that is open, or `new`; undefined on the tabs of the assistant. */
  readonly action: string | undefined;
};

/** The path below which the dashboard has all of its screens. */
export const ROOT = '/dashboard/';

/** Opens a screen. @param path as `paths` returns it */
export function navigate(path: string): void {
  window.history.pushState(null, '', path);
  window.scrollTo(0, 0);
  dispatchAddressChange();
}

/** Lets `subscribe` learn of a new address. The browser sends the event only when the user goes back or forward. */
function dispatchAddressChange(): void {
  window.dispatchEvent(new PopStateEvent('popstate'));
}

/** Opens the screens of links in this page, unless the user asks for a new tab or window. */
export function followLinks(): void {
  const follow = (event: MouseEvent) => {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    const wantsNewWindow = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (wantsNewWindow || !link || link.target !== '' || link.hash !== '') return;
    if (link.origin !== window.location.origin || !link.pathname.startsWith(ROOT)) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  };
  // Cloudscape's menus stop the clicks on their links.
  document.addEventListener('click', follow, { capture: true });
}

/** Returns the path of the address, also after it has changed. */
export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** Returns the path of the address with its parameters, as `navigate` takes it. */
export function useAddress(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname + window.location.search);
}

/** Returns the parameters of the address, and a function that changes some of them. An empty text removes a parameter. */
export function useParameters(): readonly [URLSearchParams, (change: Readonly<Record<string, string>>) => void] {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  return [new URLSearchParams(search), changeParameters];
}

function changeParameters(change: Readonly<Record<string, string>>): void {
  const parameters = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(change)) {
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  try {
    window.history.replaceState(null, '', `${window.location.pathname}${parameters.size > 0 ? `?${parameters}` : ''}`);
  } catch {
    // Safari throws from about a hundred changes in some seconds on. Only typing in a search is as fast, and its next change writes the whole text.
  }
  dispatchAddressChange();
}

/** Returns what calls a listener at each event of this type, until the function that it returns is called. */
export const onEvent = (target: EventTarget, type: string) => (listener: (event: Event) => void) => {
  target.addEventListener(type, listener);
  return () => target.removeEventListener(type, listener);
};
const subscribe = onEvent(window, 'popstate');

export function placeOf(path: string): Place {
  const [org, part, tab, action] = path.slice(ROOT.length).split('/');
  const screen = part === 'members' || part === 'audit' ? part : 'assistants';
  return {
    org: org === '' ? undefined : org,
    screen,
    site: part === '' || screen !== 'assistants' ? undefined : part,
    tab: tab === 'deploy' || tab === 'intelligence' ? tab : 'general',
    action: action === '' ? undefined : action,
  };
}

/** The addresses of the screens, as `placeOf` reads them. */
export const paths = {
  organization: (org: string) => `${ROOT}${org}`,
  newAssistant: (org: string) => `${ROOT}${org}?new=assistant`,
  members: (org: string) => `${ROOT}${org}/members`,
  audit: (org: string) => `${ROOT}${org}/audit`,
  assistant: (org: string, site: string, tab = 'general') => `${ROOT}${org}/${site}/${tab}`,
  action: (org: string, site: string, action: string) => `${ROOT}${org}/${site}/intelligence/${action}`,
  copy: (org: string, site: string, action: string) => `${ROOT}${org}/${site}/intelligence/new?copy=${action}`,
};
