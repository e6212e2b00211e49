import type { InitResponse } from '../src/contract/widget.ts';
import { conversationPlace } from './conversation.ts';
import { element, icon } from './dom.ts';
import { ownerOf } from './draft.ts';
import { emit } from './emit.ts';
import { panel } from './panel.ts';
import type { Settings } from './script-tag.ts';
import type { Session } from './session.ts';
import { styleSheet } from './styles.ts';
import type { Speech } from './texts.ts';
import type { VaWaveConversationView, VaWaveVisitor } from './va-wave.d.ts';

const TAG = 'va-wave-widget';
const SPEECH_BUBBLE =
  'M21 11.5a8.4 8.4 0 0 1-9 8.4 9.6 9.6 0 0 1-3.6-.7L3 21l1.9-4.8A8.2 8.2 0 0 1 3 11.5 8.7 8.7 0 0 1 12 3a8.7 8.7 0 0 1 9 8.5z';
const CHEVRON_DOWN = 'M5 9l7 7 7-7';
/** Where a floating panel would not leave enough room, also after zooming in, it fills the screen and is modal. */
const SMALL_SCREEN = '(max-width: 520px), (max-height: 480px)';

/** What the page said of the widget. */
export type Wishes = {
  readonly speech: Speech;
  readonly visitor: VaWaveVisitor;
  readonly view: VaWaveConversationView | undefined;
  readonly hidden: boolean;
};

export type Widget = {
  readonly isOpen: () => boolean;
  /** @param form slug of the form to show */
  readonly open: (form?: string) => void;
  readonly close: () => void;
  readonly hide: (hidden: boolean) => void;
  readonly prefill: (visitor: VaWaveVisitor) => void;
  readonly remove: () => void;
};

/** Builds the launcher and the panel, and puts them on the page. */
export function mountWidget(init: InitResponse, settings: Settings, session: Session, wishes: Wishes): Widget {
  const page = document.documentElement;
  const { language, texts } = wishes.speech;
  // Texts that run from right to left need a panel that does, also on a page that forgot to say so.
  const direction = /^(ar|he)\b/.test(language) ? 'rtl' : getComputedStyle(page).direction === 'rtl' ? 'rtl' : 'ltr';
  const smallScreen = matchMedia(SMALL_SCREEN);
  const dark = settings.theme ? settings.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

  const launcher = element(
    'button',
    {
      type: 'button',
      class: 'launcher',
      'aria-label': texts.launcher,
      'aria-haspopup': 'dialog',
      'aria-expanded': 'false',
      'aria-controls': 'panel',
      hidden: wishes.hidden,
    },
    icon(SPEECH_BUBBLE),
    icon(CHEVRON_DOWN),
  );
  const close = () => {
    if (!dialog.open) return;
    dialog.close();
    smallScreen.removeEventListener('change', arrange);
    launcher.setAttribute('aria-expanded', 'false');
    // The dialog gave the focus back to what had it before it opened. Nothing had it after a click in Safari, for one.
    const active = document.activeElement === host ? host.shadowRoot?.activeElement : document.activeElement;
    if (!active || active === document.body || dialog.contains(active)) launcher.focus();
    emit('va-wave:close', null);
  };
  const place =
    wishes.view && conversationPlace(wishes.view, session, { language, direction, theme: dark ? 'dark' : 'light' });
  const owner = ownerOf(init.visitor_id, 'X-Session-Token' in session.credential());
  const { node: dialog, ...content } = panel({ ...init, owner, visitor: wishes.visitor, place }, session, texts, close);
  const root = element(
    'div',
    {
      class: 'root',
      lang: language,
      dir: direction,
      'data-theme': settings.theme,
      'data-position': settings.position,
    },
    launcher,
    dialog,
  );
  const host = hostElement(root);

  /** A modal dialog cannot become a floating one while it is open, so it is closed and opened again, with the focus kept. */
  const arrange = () => {
    const focused = host.shadowRoot?.activeElement;
    if (dialog.open) dialog.close();
    dialog.classList.toggle('full', smallScreen.matches);
    if (smallScreen.matches) dialog.showModal();
    else dialog.show();
    if (focused instanceof HTMLElement) focused.focus();
  };
  const open = (form?: string) => {
    if (!host.isConnected) page.append(host);
    if (form) content.showForm(form);
    if (dialog.open) return;
    launcher.setAttribute('aria-expanded', 'true');
    smallScreen.addEventListener('change', arrange);
    arrange();
    content.focus();
    // The visitor reads and writes meanwhile; what needs the conversation asks for it again.
    void session.begin();
    content.opened();
    emit('va-wave:open', null);
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
    isOpen: () => dialog.open,
    open,
    close,
    hide: (hidden) => {
      launcher.hidden = hidden;
    },
    prefill: content.prefill,
    remove: () => {
      smallScreen.removeEventListener('change', arrange);
      host.remove();
      place?.unmount();
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
