import type { Settings } from './script-tag.ts';
import { openSession } from './session.ts';
import { mountWidget, type Widget } from './widget.ts';

/** What a page can do with the widget. */
export type VaWave = {
  readonly open: () => void;
  readonly close: () => void;
  /** Takes everything off the page; loading the script again starts anew. */
  readonly destroy: () => void;
  /** Answers the event `va-wave:token-expired`; may be called at any time before as well. */
  readonly setSessionToken: (token: string) => void;
};

/** Asks the service first; only its yes makes anything appear. */
export function start(settings: Settings): void {
  const session = openSession(settings);
  let widget: Widget | undefined;
  let wanted = false;
  let destroyed = false;

  const api: VaWave = Object.freeze({
    open: () => {
      wanted = true;
      widget?.open();
    },
    close: () => {
      wanted = false;
      widget?.close();
    },
    destroy: () => {
      session.end();
      widget?.remove();
      widget = undefined;
      if (Object.getOwnPropertyDescriptor(window, 'vaWave')?.value === api) Reflect.deleteProperty(window, 'vaWave');
      destroyed = true;
    },
    setSessionToken: session.setToken,
  });
  // Taken at once, so that a second tag does not start a second widget.
  Object.defineProperty(window, 'vaWave', { value: api, configurable: true });

  const begin = async () => {
    const init = await session.init();
    if (!init) return api.destroy();
    await parsed();
    if (destroyed) return;
    widget = mountWidget(init, settings, session);
    document.dispatchEvent(new CustomEvent('va-wave:ready', { bubbles: true }));
    if (wanted) widget.open();
  };
  // A browser that lacks something fails before anything was put on the page.
  begin().catch(api.destroy);
}

/** The page's own elements come first, so that ours is last in the order of the Tab key. */
function parsed(): Promise<unknown> | undefined {
  if (document.readyState !== 'loading') return undefined;
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
}
