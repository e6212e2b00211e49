import type { InitResponse } from '../src/contract/widget.ts';
import { element, icon } from './dom.ts';
import { panel } from './panel.ts';
import type { Settings } from './script-tag.ts';
import type { Session } from './session.ts';
import { styleSheet } from './styles.ts';
import { textsFor } from './texts.ts';

const TAG = 'va-wave-widget';
const SPEECH_BUBBLE =
  'M21 11.5a8.4 8.4 0 0 1-9 8.4 9.6 9.6 0 0 1-3.6-.7L3 21l1.9-4.8A8.2 8.2 0 0 1 3 11.5 8.7 8.7 0 0 1 12 3a8.7 8.7 0 0 1 9 8.5z';
const CHEVRON_DOWN = 'M5 9l7 7 7-7';
/** Where a floating panel would not leave enough room, also after zooming in, it fills the screen and is modal. */
const SMALL_SCREEN = '(max-width: 520px), (max-height: 480px)';

export type Widget = { readonly open: () => void; readonly close: () => void; readonly remove: () => void };

/** Builds the launcher and the panel, and puts them on the page. */
export function mountWidget(init: InitResponse, settings: Settings, session: Session): Widget {
  const page = document.documentElement;
  const { language, texts } = textsFor(page.lang);
  const smallScreen = matchMedia(SMALL_SCREEN);

  const launcher = element(
    'button',
    {
      type: 'button',
      class: 'launcher',
      'aria-label': texts.launcher,
      'aria-haspopup': 'dialog',
      'aria-expanded': 'false',
      'aria-controls': 'panel',
    },
    icon(SPEECH_BUBBLE),
    icon(CHEVRON_DOWN),
  );
  const close = () => {
    if (!dialog.open) return;
    dialog.close();
    smallScreen.removeEventListener('change', place);
    launcher.setAttribute('aria-expanded', 'false');
    // The dialog gave the focus back to what had it before it opened. Nothing had it after a click in Safari, for one.
    const active = document.activeElement === host ? host.shadowRoot?.activeElement : document.activeElement;
    if (!active || active === document.body || dialog.contains(active)) launcher.focus();
  };
  const { node: dialog, focus } = panel(init, session, texts, close);
  const root = element(
    'div',
    {
      class: 'root',
      lang: language,
      dir: page.dir === 'rtl' ? 'rtl' : 'ltr',
      'data-theme': settings.theme,
      'data-position': settings.position,
    },
    launcher,
    dialog,
  );
  const host = hostElement(root);

  /** A modal dialog cannot become a floating one while it is open, so it is closed and opened again, with the focus kept. */
  const place = () => {
    const focused = host.shadowRoot?.activeElement;
    if (dialog.open) dialog.close();
    dialog.classList.toggle('full', smallScreen.matches);
    if (smallScreen.matches) dialog.showModal();
    else dialog.show();
    if (focused instanceof HTMLElement) focused.focus();
  };
  const open = () => {
    if (!host.isConnected) page.append(host);
    if (dialog.open) return;
    launcher.setAttribute('aria-expanded', 'true');
    smallScreen.addEventListener('change', place);
    place();
    focus();
  };

  launcher.addEventListener('click', () => (dialog.open ? close() : open()));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  root.addEventListener('keydown', (event) => {
    // An input method uses Escape itself while it composes.
    if (event.key !== 'Escape' || event.isComposing || !dialog.open) return;
    event.preventDefault();
    close();
  });
  // To the page's keyboard shortcuts, typing in a shadow root does not look like typing in a field.
  for (const type of ['keydown', 'keypress', 'keyup']) root.addEventListener(type, (event) => event.stopPropagation());

  // Beside the body, not in it: a page's own layout rules, body swaps and aria-hidden dialogs do not reach it there.
  page.append(host);
  return {
    open,
    close,
    remove: () => {
      smallScreen.removeEventListener('change', place);
      host.remove();
    },
  };
}

/** Enters the top layer whenever it comes onto the page: above every z-index, without a layer that would eat clicks. */
function hostElement(root: HTMLElement): HTMLElement {
  if (!customElements.get(TAG)) {
    customElements.define(
      TAG,
      class extends HTMLElement {
        connectedCallback() {
          this.setAttribute('popover', 'manual');
          this.showPopover?.();
        }
      },
    );
  }
  const host = document.createElement(TAG);
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [styleSheet()];
  shadow.append(root);
  return host;
}
