import type { InitResponse } from '../src/contract/widget.ts';
import { element, icon } from './dom.ts';
import { isComposing, keepEvents } from './events.ts';
import { emit, type Settings } from './page.ts';
import { panel } from './panel.ts';
import type { Session } from './session.ts';
import { ownerOf } from './storage.ts';
import type { LanguageTexts } from './texts.ts';
import { watchTheme } from './theme.ts';
import type { VaWaveConversationView } from './va-wave.d.ts';

/** styles.css, minified. The bundler sets it (lib/bundles.ts). */
declare const STYLE_SHEET: string;

const SPEECH_BUBBLE =
  'M21 11.5a8.4 8.4 0 0 1-9 8.4 9.6 9.6 0 0 1-3.6-.7L3 21l1.9-4.8A8.2 8.2 0 0 1 3 11.5 8.7 8.7 0 0 1 12 3a8.7 8.7 0 0 1 9 8.5z';
const CHEVRON_DOWN = 'M5 9l7 7 7-7';
/** On a small or zoomed screen the panel fills the screen and is modal, because a floating panel would be too small. */
const SMALL_SCREEN = '(max-width: 520px), (max-height: 480px)';

export type Widget = ReturnType<typeof mountWidget>;

/** Creates the launcher and the panel, and adds them to the page. */
export function mountWidget(
  init: InitResponse,
  settings: Settings,
  session: Session,
  { language, texts }: LanguageTexts,
  view: VaWaveConversationView | undefined,
  onOpen: () => void,
) {
  const page = document.documentElement;
  const smallScreen = matchMedia(SMALL_SCREEN);
  // A text from right to left needs a panel from right to left, even if the page has no such direction.
  const direction = /^(ar|he)\b/.test(language) || getComputedStyle(page).direction === 'rtl' ? 'rtl' : 'ltr';
  const isLeft = settings.position === 'left' || (settings.position !== 'right' && direction === 'rtl');

  const badge = element('span', { class: 'badge' });
  const launcher = element(
    'button',
    {
      type: 'button',
      class: 'launcher',
      'aria-haspopup': 'dialog',
      'aria-expanded': 'false',
      'aria-controls': 'panel',
    },
    icon(SPEECH_BUBBLE),
    icon(CHEVRON_DOWN),
    badge,
  );
  const close = () => {
    if (!dialog.open) return;
    dialog.close();
    smallScreen.removeEventListener('change', arrange);
    launcher.setAttribute('aria-expanded', 'false');
    // The browser returns the focus to the element that had it before. After a click in Safari, no element had it.
    const active = document.activeElement === host ? shadow.activeElement : document.activeElement;
    if (!active || active === document.body || dialog.contains(active)) launcher.focus();
    emit('va-wave:close', null);
  };
  const { siteId, begin, credential, renewToken } = session;
  const mountView = (place: HTMLElement) =>
    view?.mount(place, {
      siteId: siteId(),
      language,
      direction,
      theme: root.classList.contains('dark') ? 'dark' : 'light',
      conversationId: begin,
      credential,
      renewToken,
    });
  const { node: dialog, ...content } = panel(
    {
      forms: init.forms,
      owner: ownerOf(init.visitor_id, 'X-Session-Token' in credential()),
      mountView: view && mountView,
    },
    session,
    texts,
    close,
  );
  const root = element(
    'div',
    { class: 'root', lang: language, dir: direction, 'data-position': isLeft ? 'left' : 'right' },
    launcher,
    dialog,
  );
  const host = document.createElement('va-wave-widget');
  host.setAttribute('popover', 'manual');
  const shadow = host.attachShadow({ mode: 'open' });
  const styles = new CSSStyleSheet();
  styles.replaceSync(STYLE_SHEET);
  // A page's content security policy for inline styles does not block this sheet.
  shadow.adoptedStyleSheets = [styles];
  shadow.append(root);

  /**
   * Adds the host next to the body: there, the page's layout rules, a replaced body and aria-hidden on the body do not affect it. As a
   * popover it is in the top layer, above every z-index, and catches no clicks.
   */
  const attach = () => {
    page.append(host);
    host.showPopover?.();
  };
  /** Closes and opens the dialog and restores the focus, because an open dialog cannot change between modal and floating. */
  const arrange = () => {
    const focused = shadow.activeElement;
    if (dialog.open) dialog.close();
    dialog.classList.toggle('full', smallScreen.matches);
    if (smallScreen.matches) dialog.showModal();
    else dialog.show();
    if (focused instanceof HTMLElement) focused.focus();
  };
  /**
   * @param form slug of the form to show
   * @param again whether the panel was open before the widget was built again, so that the page sees no new opening
   */
  const open = (form?: string, again?: boolean) => {
    if (!host.isConnected) attach();
    if (form) content.showForm(form);
    if (dialog.open) return;
    launcher.setAttribute('aria-expanded', 'true');
    smallScreen.addEventListener('change', arrange);
    arrange();
    content.focus();
    // The visitor can read and type at once. A later submission asks for the conversation again.
    void begin();
    content.opened();
    onOpen();
    if (!again) emit('va-wave:open', null);
  };

  launcher.addEventListener('click', () => (dialog.open ? close() : open()));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || isComposing(event) || !dialog.open) return;
    event.preventDefault();
    close();
  });
  keepEvents(root, host);
  const unwatchTheme = watchTheme(settings.theme, (isDark) => root.classList.toggle('dark', isDark));
  attach();

  return {
    isOpen: () => dialog.open,
    open,
    close,
    prefill: content.prefill,
    setUnread: (count: number) => {
      badge.textContent = count > 99 ? '99+' : count ? String(count) : '';
      launcher.setAttribute('aria-label', texts.launcher + (count ? ` (${count})` : ''));
    },
    hide: (hidden: boolean) => {
      launcher.hidden = hidden;
    },
    remove: () => {
      smallScreen.removeEventListener('change', arrange);
      unwatchTheme();
      host.remove();
      content.removed();
    },
  };
}
