import type { InitResponse } from '../src/contract/widget.ts';
import { element, icon } from './dom.ts';
import { isComposing, keepEvents } from './events.ts';
import type { Settings } from './page.ts';
import { panel } from './panel.ts';
import type { Session } from './session.ts';
import { isRightToLeft, type LanguageTexts } from './texts.ts';
import { isDark } from './theme.ts';
import type { VaWaveConversationView } from './va-wave.d.ts';

/** styles.css, minified. The bundler sets it (lib/bundles.ts). */
declare const STYLE_SHEET: string;

const SPEECH_BUBBLE = 'M20 4H4v12h4v4l5-4h7z';
const CHEVRON_DOWN = 'M5 9l7 7 7-7';
/** On a small or zoomed screen the panel fills the screen and is modal, because a floating panel would be too small. */
const SMALL_SCREEN = '(max-width: 520px), (max-height: 480px)';

/** The arguments of `open`, with which a widget that is built again opens as the one before it was. */
export type Opening = readonly [form?: string | undefined, hadFocus?: boolean, focusedBefore?: Element | null];

export type Widget = ReturnType<typeof mountWidget>;

/** The least time between two returns to a page that removes the widget, so that a page that removes it each time stays usable. */
const RETURN_MS = 200;

/**
 * Creates the launcher and the panel, and keeps them on the page until `remove`.
 * @param onOpen called with true when the panel opens, also in the place of one that was built again, and with false when it has closed
 * @param onPageChange called when the page may have changed its language
 * @param rebuild builds the widget again: for another conversation, and when the page has removed all listeners (document.open). With null it
 *   has no view: this one cannot be mounted
 */
export function mountWidget(
  init: InitResponse,
  settings: Settings,
  session: Session,
  { language, texts }: LanguageTexts,
  view: VaWaveConversationView | null | undefined,
  onOpen: (isOpen: boolean) => void,
  onPageChange: () => void,
  rebuild: (view?: null) => void,
) {
  const smallScreen = matchMedia(SMALL_SCREEN);
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
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
  let shown = false;
  /** The element that had the focus before the panel opened. */
  let focusedBefore: Element | null = null;
  const focus = (element: unknown) => element instanceof HTMLElement && element.focus();
  /** Returns the element with the focus, also in shadow roots of the page and of the conversation view. */
  const focused = (at = shadow.activeElement ?? document.activeElement): Element | null =>
    at?.shadowRoot?.activeElement ? focused(at.shadowRoot.activeElement) : at;
  const leaveTopLayer = () => {
    dialog.close();
    dialog.hidePopover?.();
  };
  const close = () => {
    if (!shown) return;
    shown = false;
    dialog.classList.remove('shown');
    leaveTopLayer();
    smallScreen.onchange = null;
    launcher.setAttribute('aria-expanded', 'false');
    // A focus elsewhere on the page stays. Where the element before is gone, the launcher keeps the focus.
    const active = document.activeElement;
    if (!active || active === document.body || dialog.contains(shadow.activeElement)) {
      launcher.focus();
      focus(focusedBefore);
    }
    onOpen(false);
  };
  const { siteId, begin, credential, renewToken, forget } = session;
  const mountView = (place: HTMLElement) =>
    view?.mount(place, {
      siteId,
      language,
      direction,
      theme: root.classList.contains('dark') ? 'dark' : 'light',
      conversationId: begin,
      credential,
      renewToken,
      newConversation: () => {
        if (removed) return;
        forget();
        rebuild();
      },
    });
  const { node: dialog, ...content } = panel(
    { forms: init.forms, siteId, mountView: view && mountView },
    session,
    texts,
    close,
    // A removed widget has nothing to rebuild: the page has set another view, or has another visitor.
    () => removed || rebuild(null),
  );
  const root = element('div', { class: 'root', lang: language }, launcher, dialog);
  const host = document.createElement('va-wave-widget');
  host.popover = 'manual';
  const shadow = host.attachShadow({ mode: 'open' });
  const styles = new CSSStyleSheet();
  styles.replaceSync(STYLE_SHEET);
  // A page's content security policy for inline styles does not block this sheet.
  shadow.adoptedStyleSheets = [styles];
  shadow.append(root);

  let removed = false;
  /** The timer of the next look at the page, RETURN_MS later. Until it ends, the widget does not return to a page that has removed it again. */
  let nextLook: ReturnType<typeof setTimeout> | undefined;
  /** Whether the host has heard the last event that was sent to find out whether document.open has removed its listeners. */
  let hasListeners: boolean;
  host.addEventListener('va-wave', () => {
    hasListeners = true;
  });
  // A text from right to left needs a panel from right to left, even if the page has no such direction.
  const isRtl = isRightToLeft(language);
  let direction: 'ltr' | 'rtl';
  /**
   * Adds the host at the end of the body, where the hydration of a whole document expects nothing of its own, and observes the body and
   * everything above the body, where a page removes or replaces the host and switches its theme and its language. An open panel stays
   * open. Copies of the host, which page caches make, are removed.
   */
  const followPage = () => {
    if (removed) return;
    const { body } = document;
    for (const node of [document, document.documentElement, body])
      if (node) observer.observe(node, { childList: true, attributes: true });
    if (!body) return;
    root.classList.toggle('dark', isDark(settings.theme, prefersDark));
    direction = isRtl || getComputedStyle(document.documentElement).direction === 'rtl' ? 'rtl' : 'ltr';
    root.dir = direction;
    const { position } = settings;
    root.dataset.position = position === 'left' || (position !== 'right' && direction === 'rtl') ? 'left' : 'right';
    onPageChange();
    if (host.parentNode === body || nextLook) return;
    nextLook = setTimeout(() => {
      nextLook = undefined;
      followPage();
    }, RETURN_MS);
    hasListeners = false;
    host.dispatchEvent(new CustomEvent('va-wave'));
    if (!hasListeners) return rebuild();
    for (const copy of document.querySelectorAll(host.localName)) copy.remove();
    body.append(host);
    raiseLauncher();
    if (!shown) return;
    // The move has closed the panel, and showing it moves the focus, which goes back where it was unless an element of the page keeps it.
    const focusedElement = lastFocused;
    showPanel();
    if (document.activeElement === host) focus(focusedElement);
  };
  /**
   * Moves the launcher into the top layer where its corner is not that of the window, because the body has a transform, a filter or
   * containment. The host is as high as what its corner belongs to; while the page displays no body, it has no box. Bars of a browser make
   * differences of less than 99 px.
   */
  const raiseLauncher = () => {
    for (const { top, height } of host.getClientRects())
      if (Math.hypot(top, height - innerHeight) > 99) host.showPopover?.();
  };
  const observer = new MutationObserver(followPage);
  /** The element of the panel that had the focus last. */
  let lastFocused: Element | null = null;
  /**
   * Shows the panel above everything else on the page: in the top layer. Only `raiseLauncher` puts anything else of the widget there, because
   * the page would see the popover all the time and could not lie above the launcher. Where the focus cannot enter it (an open modal dialog or a
   * focus trap of the page), the panel is modal itself, as on a small screen.
   */
  const showPanel = () => {
    const focusedElement = focused();
    // Libraries for modal dialogs hide everything else from screen readers.
    host.removeAttribute('aria-hidden');
    leaveTopLayer();
    dialog.classList.toggle('full', smallScreen.matches);
    dialog.classList.add('shown');
    if (!smallScreen.matches) dialog.showPopover?.();
    content.title.focus();
    if (smallScreen.matches || !dialog.contains(shadow.activeElement)) {
      leaveTopLayer();
      dialog.showModal();
      content.title.focus();
    }
    // The panel took the focus only to try whether it can. The caller decides where the focus stays.
    focus(focusedElement);
  };
  /**
   * @param form slug of the form to show
   * @param hadFocus whether the panel had the keyboard focus before the widget was built again
   * @param before the element to which the focus returns
   */
  const open = (form?: string, hadFocus?: boolean, before = focused()) => {
    if (form) content.showForm(form);
    if (shown) return showPanel();
    shown = true;
    focusedBefore = before;
    launcher.setAttribute('aria-expanded', 'true');
    smallScreen.onchange = showPanel;
    showPanel();
    if (hadFocus !== false) content.title.focus();
    // The visitor can read and type at once. A later submission asks for the conversation again.
    void begin();
    content.opened();
    onOpen(true);
  };

  launcher.onclick = () => (shown ? close() : open());
  // Escape and the Back gesture cancel a modal dialog. A panel that is not modal gets the key.
  dialog.oncancel = (event) => {
    event.preventDefault();
    close();
  };
  root.onkeydown = (event) => {
    if (event.key !== 'Escape' || isComposing(event) || !shown) return;
    event.preventDefault();
    close();
  };
  // Keys and clicks tell also of a move inside a shadow root of a view, which `focusin` does not leave.
  for (const type of 'focusin keyup click'.split(' ')) {
    root.addEventListener(type, () => {
      lastFocused = focused();
    });
  }
  keepEvents(root, host);
  prefersDark.onchange = followPage;
  followPage();

  return {
    /** Returns whether the panel is open and can be used: under a modal dialog that the page opened later, it cannot. */
    isOpen: () => {
      const { x, y, width, height } = dialog.getBoundingClientRect();
      return shown && document.elementsFromPoint(x + width / 2, y + height / 2).includes(host);
    },
    open,
    /** Returns what opens the next widget with this form (empty: with the home of the panel), or undefined when this panel is closed. */
    state: (form = content.slug()): Opening | undefined =>
      shown ? [form, document.activeElement === host, focusedBefore] : undefined,
    close,
    prefill: content.prefill,
    setUnread: (count: number) => {
      badge.textContent = count > 99 ? '99+' : String(count || '');
      launcher.setAttribute('aria-label', texts.launcher + (count ? ` (${count})` : ''));
    },
    hide: (hidden: boolean) => {
      launcher.hidden = hidden;
      // The body may have got a transform meanwhile.
      raiseLauncher();
    },
    remove: () => {
      removed = true;
      observer.disconnect();
      clearTimeout(nextLook);
      smallScreen.onchange = prefersDark.onchange = null;
      host.remove();
      content.removed();
    },
  };
}
