import type { InitResponse } from '../src/contract/widget.ts';
import { conversationPlace } from './conversation.ts';
import { element, icon } from './dom.ts';
import { ownerOf } from './draft.ts';
import { emit } from './emit.ts';
import { panel } from './panel.ts';
import type { Settings } from './script-tag.ts';
import type { Session } from './session.ts';
import { styleSheet } from './styles.ts';
import type { LanguageTexts } from './texts.ts';
import type { VaWaveConversationView, VaWaveVisitor } from './va-wave.d.ts';

const TAG = 'va-wave-widget';
const SPEECH_BUBBLE =
  'M21 11.5a8.4 8.4 0 0 1-9 8.4 9.6 9.6 0 0 1-3.6-.7L3 21l1.9-4.8A8.2 8.2 0 0 1 3 11.5 8.7 8.7 0 0 1 12 3a8.7 8.7 0 0 1 9 8.5z';
const CHEVRON_DOWN = 'M5 9l7 7 7-7';
/** On a small or zoomed screen the panel fills the screen and is modal, because a floating panel would be too small. */
const SMALL_SCREEN = '(max-width: 520px), (max-height: 480px)';

/** The page's settings for the widget, from its script tag and its commands. */
export type PageSettings = {
  readonly languageTexts: LanguageTexts;
  readonly visitor: VaWaveVisitor;
  readonly view: VaWaveConversationView | undefined;
  readonly hidden: boolean;
  readonly unread: number;
  readonly onOpen: () => void;
};

export type Widget = {
  readonly isOpen: () => boolean;
  /**
   * @param form slug of the form to show
   * @param again whether the panel was open before the widget was built again, so that the page sees no new opening
   */
  readonly open: (form?: string, again?: boolean) => void;
  readonly setUnread: (count: number) => void;
  readonly close: () => void;
  readonly hide: (hidden: boolean) => void;
  readonly prefill: (visitor: VaWaveVisitor) => void;
  readonly remove: () => void;
};

/** Creates the launcher and the panel, and adds them to the page. */
export function mountWidget(
  init: InitResponse,
  settings: Settings,
  session: Session,
  pageSettings: PageSettings,
): Widget {
  const page = document.documentElement;
  const { language, texts } = pageSettings.languageTexts;
  // A text from right to left needs a panel from right to left, even if the page has no such direction.
  const direction = /^(ar|he)\b/.test(language) ? 'rtl' : getComputedStyle(page).direction === 'rtl' ? 'rtl' : 'ltr';
  const smallScreen = matchMedia(SMALL_SCREEN);
  const dark = settings.theme ? settings.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

  const badge = element('span', { class: 'badge' });
  const launcher = element(
    'button',
    {
      type: 'button',
      class: 'launcher',
      'aria-haspopup': 'dialog',
      'aria-expanded': 'false',
      'aria-controls': 'panel',
      hidden: pageSettings.hidden,
    },
    icon(SPEECH_BUBBLE),
    icon(CHEVRON_DOWN),
    badge,
  );
  const setUnread = (count: number) => {
    badge.textContent = count > 99 ? '99+' : count ? String(count) : '';
    launcher.setAttribute('aria-label', texts.launcher + (count ? ` (${count})` : ''));
  };
  setUnread(pageSettings.unread);
  const close = () => {
    if (!dialog.open) return;
    dialog.close();
    smallScreen.removeEventListener('change', arrange);
    launcher.setAttribute('aria-expanded', 'false');
    // The browser returns the focus to the element that had it before. After a click in Safari, no element had it.
    const active = document.activeElement === host ? host.shadowRoot?.activeElement : document.activeElement;
    if (!active || active === document.body || dialog.contains(active)) launcher.focus();
    emit('va-wave:close', null);
  };
  const place =
    pageSettings.view &&
    conversationPlace(pageSettings.view, session, { language, direction, theme: dark ? 'dark' : 'light' });
  const owner = ownerOf(init.visitor_id, 'X-Session-Token' in session.credential());
  const { node: dialog, ...content } = panel(
    { ...init, owner, visitor: pageSettings.visitor, place },
    session,
    texts,
    close,
  );
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

  /** Closes and opens the dialog and restores the focus, because an open dialog cannot change between modal and floating. */
  const arrange = () => {
    const focused = host.shadowRoot?.activeElement;
    if (dialog.open) dialog.close();
    dialog.classList.toggle('full', smallScreen.matches);
    if (smallScreen.matches) dialog.showModal();
    else dialog.show();
    if (focused instanceof HTMLElement) focused.focus();
  };
  const open = (form?: string, again?: boolean) => {
    if (!host.isConnected) page.append(host);
    if (form) content.showForm(form);
    if (dialog.open) return;
    launcher.setAttribute('aria-expanded', 'true');
    smallScreen.addEventListener('change', arrange);
    arrange();
    content.focus();
    // The visitor can read and type at once. A later submission asks for the conversation again.
    void session.begin();
    content.opened();
    pageSettings.onOpen();
    if (!again) emit('va-wave:open', null);
  };

  launcher.addEventListener('click', () => (dialog.open ? close() : open()));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  root.addEventListener('keydown', (event) => {
    // An input method uses Escape while it composes a character.
    if (event.key !== 'Escape' || event.isComposing || !dialog.open) return;
    event.preventDefault();
    close();
  });
  // A page's keyboard shortcuts would react, because they do not recognize a field inside a shadow root.
  for (const type of ['keydown', 'keypress', 'keyup']) root.addEventListener(type, (event) => event.stopPropagation());

  // The host is next to the body. There, the page's layout rules, a replaced body and aria-hidden on the body do not affect it.
  page.append(host);
  return {
    isOpen: () => dialog.open,
    open,
    close,
    setUnread,
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

/** Creates the host element. It enters the top layer when it is added to a page: above every z-index, and without catching clicks. */
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
