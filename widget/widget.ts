import type { InitResponse } from '../src/contract/widget.ts';
import { element, icon } from './dom.ts';
import { isComposing, keepEvents } from './events.ts';
import type { Announce } from './form.ts';
import { pageDocument, type TagSettings } from './page.ts';
import { panel } from './panel.ts';
import type { VisitorSession } from './session.ts';
import { isRightToLeft, type LanguageTexts } from './texts.ts';
import type { VaWaveConversationView } from './va-wave.d.ts';

/** styles.css, minified. The bundler sets it (lib/bundles.ts). */
declare const STYLE_SHEET: string;

const SPEECH_BUBBLE = 'M20 4H4v12h4v4l5-4h7z';
const CHEVRON_DOWN = 'M5 9l7 7 7-7';
/** On a small or zoomed screen the panel fills the screen and is modal, because a floating panel would be too small. */
const SMALL_SCREEN = '(max-width: 520px), (max-height: 480px)';

/** How the panel opens: as the visitor or the page asks, or as the one before it was when the widget is built again. */
export type Opening = {
  /** Slug of the form to show. */
  readonly form?: string | undefined;
  /** False opens the panel beside the focus, which stays where the visitor is. */
  readonly takesFocus: boolean;
  /** The element to which the focus returns. */
  readonly focusedBefore?: Element | null;
  /** The field that has the focus, and what is selected in it. */
  readonly caret?: { readonly name: string; readonly start: number | null; readonly end: number | null } | undefined;
};

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
  settings: TagSettings,
  session: VisitorSession,
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
  let isShown = false;
  /** Whether the panel waits beside the focus for the visitor, on a small screen as its title bar alone. */
  let isBeside = false;
  let unreadText = '';
  /** What needs the visitor since the panel was closed. */
  let openProblem = '';
  // Always in the tree, so that screen readers announce what it gets.
  const liveRegion = element('p', { class: 'live', role: 'status' });
  const announce: Announce = (text, needsVisitor) => {
    // A new element is announced also when its text is that of the last one.
    liveRegion.replaceChildren(element('span', {}, text));
    if (isShown) return;
    if (needsVisitor) openProblem = text;
    nameLauncher();
  };
  /** Moves the live region without its text, which VoiceOver would read again. */
  const moveLiveRegion = (parent: Element) => {
    if (liveRegion.parentNode === parent) return;
    liveRegion.replaceChildren();
    parent.append(liveRegion);
  };
  const nameLauncher = () => {
    badge.textContent = openProblem ? '!' : unreadText;
    const unread = unreadText && `${texts.unread} ${unreadText}`;
    launcher.setAttribute('aria-label', [texts.launcher, unread, openProblem].filter(Boolean).join('. '));
  };
  /** The element that had the focus before the panel opened. */
  let focusedBefore: Element | null = null;
  const focus = (element: unknown) => element instanceof HTMLElement && element.focus();
  /** Returns the element with the focus, also in shadow roots of the page and of the conversation view. */
  const deepActiveElement = (at = shadow.activeElement ?? pageDocument.activeElement): Element | null =>
    at?.shadowRoot?.activeElement ? deepActiveElement(at.shadowRoot.activeElement) : at;
  const leaveTopLayer = () => {
    dialog.close();
    dialog.hidePopover?.();
  };
  const close = () => {
    if (!isShown) return;
    isShown = isBeside = false;
    dialog.classList.remove('shown');
    moveLiveRegion(root);
    leaveTopLayer();
    smallScreen.onchange = null;
    launcher.setAttribute('aria-expanded', 'false');
    // A focus elsewhere on the page stays. Where the element before is gone, the launcher keeps the focus.
    const { activeElement, body } = pageDocument;
    if (!activeElement || activeElement === body || dialog.contains(shadow.activeElement)) {
      launcher.focus();
      focus(focusedBefore);
    }
    onOpen(false);
  };
  /** Escape closes the panel wherever the focus is, unless the page or the view has used the key. */
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event) || !isOpen()) return;
    event.preventDefault();
    close();
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
        if (isRemoved) return;
        forget();
        rebuild();
      },
    });
  const { node: dialog, ...content } = panel(
    init.forms,
    view && mountView,
    session,
    texts,
    announce,
    close,
    // A removed widget has nothing to rebuild: the page has set another view, or has another visitor.
    () => isRemoved || rebuild(null),
  );
  const root = element('div', { class: 'root', lang: language }, launcher, dialog, liveRegion);
  const host = pageDocument.createElement('va-wave-widget');
  host.popover = 'manual';
  const shadow = host.attachShadow({ mode: 'open' });
  const styles = new CSSStyleSheet();
  styles.replaceSync(STYLE_SHEET);
  shadow.append(root);

  let isRemoved = false;
  const pageListeners = new AbortController();
  let isLookPlanned = false;
  let isRaised = false;
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
    if (isRemoved) return;
    const { body, documentElement } = pageDocument;
    for (const node of [document, documentElement, body])
      if (node) observer.observe(node, { childList: true, attributes: true });
    if (!body) return;
    const { colorScheme } = getComputedStyle(body);
    const metaScheme = pageDocument.querySelector<HTMLMetaElement>('meta[name=color-scheme]')?.content;
    const scheme = String([settings.theme, colorScheme, metaScheme].find((one = '') => /light|dark/.test(one)));
    const isDark = /dark/.test(scheme);
    // A page that names both schemes, or none, leaves the choice to the visitor's system.
    root.classList.toggle('dark', isDark === /light/.test(scheme) ? prefersDark.matches : isDark);
    direction = isRtl || getComputedStyle(documentElement).direction === 'rtl' ? 'rtl' : 'ltr';
    root.dir = direction;
    const { position } = settings;
    root.dataset.position = position === 'left' || (position !== 'right' && direction === 'rtl') ? 'left' : 'right';
    onPageChange();
    raiseLauncher();
    if (host.parentNode === body || nextLook) return;
    nextLook = setTimeout(() => {
      nextLook = undefined;
      followPage();
    }, RETURN_MS);
    hasListeners = false;
    host.dispatchEvent(new CustomEvent('va-wave'));
    if (!hasListeners) return rebuild();
    for (const copy of pageDocument.querySelectorAll(host.localName)) copy.remove();
    body.append(host);
    // A page's content security policy for inline styles does not block this sheet. In WebKit it does not count at once, and nothing can take the
    // focus, if it comes before the host.
    shadow.adoptedStyleSheets = [styles];
    isRaised = false;
    raiseLauncher();
    if (!isShown) return;
    // The move has closed the panel, and showing it moves the focus, which goes back where it was unless an element of the page keeps it.
    const focusedElement = lastFocused;
    showPanel();
    if (pageDocument.activeElement === host) focus(focusedElement);
  };
  /**
   * Moves the launcher into the top layer where its corner is not that of the window, because the body has a transform, a filter or
   * containment. The host is as high as what its corner belongs to; while the page displays no body, it has no box. Bars of a browser make
   * differences of less than 99 px.
   */
  const raiseLauncher = () => {
    for (const { top, height } of host.getClientRects())
      if (!isRaised && Math.hypot(top, height - innerHeight) > 99) {
        isRaised = true;
        host.showPopover?.();
      }
  };
  // One look for all changes of a frame, because a look makes the browser compute the styles of the page.
  const observer = new MutationObserver(() => {
    if (isLookPlanned) return;
    isLookPlanned = true;
    requestAnimationFrame(() => {
      isLookPlanned = false;
      followPage();
    });
  });
  /**
   * Keeps the page's focus in sight: what lies wholly under the open panel leaves of it only the title bar, below or above, and what lies wholly under
   * the launcher hides it, as long as it has the focus.
   */
  const makeRoom = () => {
    const target = pageDocument.activeElement === host ? null : deepActiveElement()?.getBoundingClientRect();
    if (!target && isBeside) {
      isBeside = false;
      if (smallScreen.matches) showPanel();
    }
    for (const part of [dialog, launcher]) {
      part.classList.remove('aside', 'above');
      if (isBeside && part === dialog && smallScreen.matches) part.classList.add('aside');
      for (const place of ['aside', 'above']) {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        if (target && target.left >= left && target.right <= right && target.top >= top && target.bottom <= bottom)
          part.classList.add(place);
      }
    }
  };
  /** After the browser has scrolled to what got the focus. */
  const onPageFocus = () => void requestAnimationFrame(() => isRemoved || makeRoom());
  /** The element of the panel that had the focus last. */
  let lastFocused: Element | null = null;
  /**
   * Shows the panel above everything else on the page: in the top layer. Only `raiseLauncher` puts anything else of the widget there, because
   * the page would see the popover all the time and could not lie above the launcher. Where the focus cannot enter it (an open modal dialog or a
   * focus trap of the page), the panel is modal itself, as on a small screen.
   */
  const showPanel = () => {
    const focusedElement = deepActiveElement();
    // Libraries for modal dialogs hide everything else from screen readers.
    host.removeAttribute('aria-hidden');
    leaveTopLayer();
    const isFull = smallScreen.matches && !isBeside;
    dialog.classList.toggle('full', isFull);
    dialog.classList.add('shown');
    moveLiveRegion(root);
    // Showing a dialog moves the focus into it, unless it is inert.
    dialog.inert = isBeside;
    if (!isFull) dialog.showPopover?.();
    dialog.inert = false;
    if (isBeside) {
      focus(focusedElement);
      return makeRoom();
    }
    content.title.focus();
    if (isFull || !dialog.contains(shadow.activeElement)) {
      leaveTopLayer();
      dialog.showModal();
      // Everything outside a modal dialog is silent.
      moveLiveRegion(dialog);
      content.title.focus();
    }
    // The panel took the focus only to try whether it can. The caller decides where the focus stays.
    focus(focusedElement);
  };
  const open = ({ form, takesFocus, focusedBefore: before = deepActiveElement(), caret }: Opening) => {
    if (form) content.showForm(form);
    if (isShown && !takesFocus) return isBeside || showPanel();
    if (!isShown) focusedBefore = before;
    isShown = true;
    isBeside = !takesFocus;
    openProblem = '';
    nameLauncher();
    launcher.setAttribute('aria-expanded', 'true');
    smallScreen.onchange = showPanel;
    showPanel();
    if (takesFocus) {
      const field = content.fieldNamed(caret?.name);
      (field ?? content.title).focus();
      field?.setSelectionRange(caret?.start ?? null, caret?.end ?? null);
    }
    // The visitor can read and type at once. A later submission asks for the conversation again.
    void begin();
    content.opened();
    onOpen(true);
  };

  // Only what the visitor does here lets the browser keep something.
  launcher.onclick = () => {
    if (isShown) return close();
    session.storage.allow();
    open({ takesFocus: true });
  };
  root.addEventListener('input', session.storage.allow);
  root.addEventListener('submit', session.storage.allow);
  // The Back gesture cancels a modal dialog.
  dialog.oncancel = (event) => {
    event.preventDefault();
    close();
  };
  root.onkeydown = onKey;
  // Keys and clicks tell also of a move inside a shadow root of a view, which `focusin` does not leave.
  for (const type of 'focusin keyup click'.split(' ')) {
    root.addEventListener(type, () => {
      lastFocused = deepActiveElement();
      onPageFocus();
    });
  }
  const { signal } = pageListeners;
  addEventListener('keydown', onKey, { signal });
  for (const type of ['focusin', 'focusout']) addEventListener(type, onPageFocus, { signal });
  keepEvents(root, host);
  prefersDark.onchange = followPage;
  followPage();

  /** Returns whether the panel is open and can be used: under a modal dialog that the page opened later, it cannot. */
  const isOpen = () => {
    const { x, y, width, height } = dialog.getBoundingClientRect();
    return isShown && pageDocument.elementsFromPoint(x + width / 2, y + height / 2).includes(host);
  };

  return {
    isOpen,
    open,
    /** Returns what opens the next widget with this form (empty: with the home of the panel), or undefined when this panel is closed. */
    state: (form = content.slug()): Opening | undefined => {
      if (!isShown) return undefined;
      const { name, selectionStart, selectionEnd } = Object(shadow.activeElement);
      const caret = name ? { name, start: selectionStart, end: selectionEnd } : undefined;
      return { form, takesFocus: pageDocument.activeElement === host, focusedBefore, caret };
    },
    close,
    prefill: content.prefill,
    /** @param isNew announces the number */
    setUnread: (count: number, isNew?: boolean) => {
      unreadText = count > 99 ? '99+' : String(count || '');
      nameLauncher();
      if (isNew && count) announce(`${texts.unread} ${unreadText}`);
    },
    hide: (hidden: boolean) => {
      launcher.hidden = hidden;
      // The body may have got a transform meanwhile.
      raiseLauncher();
    },
    remove: () => {
      isRemoved = true;
      pageListeners.abort();
      observer.disconnect();
      clearTimeout(nextLook);
      smallScreen.onchange = prefersDark.onchange = null;
      host.remove();
      content.removed();
    },
  };
}
