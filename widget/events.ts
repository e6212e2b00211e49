/**
 * Events that end inside the widget. To the page they come from an element that is no field, so its shortcuts, copy protection, focus traps,
 * scroll effects, drop zones and checks for unsaved forms would react or cancel them. All other events go on to the page: its menus still
 * close by a click in the widget. Each name here has a page in test/browser/widget/pages that breaks without it.
 */
const KEPT_EVENTS =
  'keydown keypress keyup beforeinput input copy cut paste contextmenu dragstart dragover drop focusin wheel touchstart touchmove touchend';

/** Keeps events inside `root`. The page gets a copy of a `mousedown`, which it can hear and not cancel: menus close by it. */
export function keepEvents(root: HTMLElement, host: HTMLElement): void {
  for (const type of KEPT_EVENTS.split(' ')) {
    root.addEventListener(type, (event) => event.stopPropagation(), { passive: true });
  }
  root.onmousedown = (event) => {
    event.stopPropagation();
    host.dispatchEvent(new MouseEvent('mousedown', event));
  };
}

/** Returns whether a key belongs to an input method, which uses Enter and Escape. In Safari the last one has only this key code. */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}

export function nextEvent(target: EventTarget, type: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));
}
