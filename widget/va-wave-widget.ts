import type { InitResponse } from '../src/contract/widget.ts';
import { nextEvent } from './events.ts';
import { emit, pageDocument, readSettings, type Stub, type TagSettings } from './page.ts';
import { openSession, tokenRequests, visitorOf } from './session.ts';
import { perBrowser, perTab } from './storage.ts';
import { type LanguageTexts, textsFor } from './texts.ts';
import type { VaWave, VaWaveCommands, VaWaveConversationView, VaWaveTexts, VaWaveVisitor } from './va-wave.d.ts';
import { mountWidget, type Opening, type Widget } from './widget.ts';

// The loader that a page embeds with one async script tag.
const settings = readSettings();
const existingApi: unknown = window.vaWave;
if (settings) {
  // Also an element with the id vaWave is reachable as window.vaWave.
  if (typeof existingApi !== 'function') start(settings);
  // The widget of an earlier tag, or else the page's stub, however the page has written it.
  else if ('tag' in existingApi) existingApi('tag', settings);
  else start(settings, Object(existingApi));
}

/** Starts the widget, which appears after init. @param stub of the page: its calls run first, `destroy` restores it */
function start(first: TagSettings, stub?: Stub): void {
  /** The settings of the tag that counts: a later tag may replace the first one. */
  let settings = first;
  const requests = tokenRequests();
  let session = openSession(settings, requests);
  /** Whether the page says that the browser may keep something before the visitor acts. */
  let isStorageAllowed = false;
  let init: InitResponse | undefined;
  let languageTexts: LanguageTexts | undefined;
  let requestedLanguage: string | undefined;
  let widget: Widget | undefined;
  let isDestroyed = false;
  /** What the page's commands have set. The commands may arrive before the widget exists. */
  let isHidden = false;
  let visitor: VaWaveVisitor = {};
  let texts: VaWaveTexts = {};
  let view: VaWaveConversationView | undefined;
  let unread = 0;
  /** Whether the last event told the page that the panel is open. */
  let isOpenForPage = false;
  let nextOpening: Opening | undefined;

  /** Builds the widget again, open with its form if it was open. Shows nothing without form and view; null stands for a view that failed. */
  const render = (shownView: VaWaveConversationView | null | undefined = view) => {
    const previous = widget;
    nextOpening ??= previous?.state();
    previous?.remove();
    widget = undefined;
    if (init && languageTexts) {
      if (init.forms.length > 0 || shownView) {
        widget = mountWidget(
          init,
          settings,
          session,
          { language: texts.language ?? languageTexts.language, texts: { ...languageTexts.texts, ...texts } },
          shownView,
          setOpen,
          translate,
          render,
        );
        widget.hide(isHidden);
        widget.setUnread(unread);
        widget.prefill(visitor);
      } else if (settings.debug) console.warn('[va-wave] nothing to show: no enabled form.');
    }
    if (!widget) setOpen(false);
    if (!previous !== !widget) emit(`va-wave:${widget ? 'ready' : 'removed'}`, null);
    if (!widget || !nextOpening) return;
    const opening = nextOpening;
    nextOpening = undefined;
    widget.open(opening);
  };
  /**
   * Replaces the visitor: nothing that the page shows or the browser keeps passes from one user to another.
   * @param nextInit the answer of init, where it holds for the next visitor too
   */
  const replaceVisitor = (next: TagSettings, nextInit?: InitResponse) => {
    // Another visitor begins at the home of the panel.
    nextOpening ??= widget?.state('');
    session.end();
    // Before the first answer of init, the conversation of the tab may be that of the next visitor. The service decides it.
    if (init) session.forget();
    if (!session.isGuest) visitor = {};
    settings = next;
    session = openSession(settings, requests);
    if (isStorageAllowed) session.storage.allow();
    init = nextInit;
    setUnread(0);
    render();
    if (!init) void initialize();
  };
  /** Loads the texts when the page has another language than at the last call, and shows them when they are others. */
  const translate = async () => {
    const language = settings.language || pageDocument.documentElement.lang;
    if (language === requestedLanguage) return;
    requestedLanguage = language;
    const nextTexts = await textsFor(settings.base, language);
    if (language !== requestedLanguage) return;
    const lastTexts = languageTexts;
    languageTexts = nextTexts;
    if (lastTexts?.language === nextTexts.language) return;
    // A browser that translates the page changes its language, and not that of the fields' labels.
    if (lastTexts) nextTexts.texts.autofill += `;${lastTexts.texts.autofill}`;
    render();
  };
  const initialize = async () => {
    // Another visitor, who may come during each of the waits, gets another session and runs init again.
    const ownSession = session;
    try {
      // During this wait, the stub's calls come first: one of them may set a token. A page that the browser prerenders may never be visited.
      await (Object(pageDocument).prerendering && nextEvent(document, 'prerenderingchange'));
      if (ownSession !== session || isDestroyed) return;
      const [answer] = await Promise.all([ownSession.start(), translate()]);
      // The widget comes after the page's elements in the order of the Tab key.
      if (pageDocument.readyState === 'loading') await nextEvent(document, 'DOMContentLoaded');
      if (ownSession !== session || isDestroyed) return;
      if (!answer) return commands.destroy();
      init = answer;
      render();
    } catch (cause) {
      // In a browser that lacks a required feature, this happens before anything is on the page.
      if (settings.debug) console.warn(`[va-wave] cannot start: ${cause}`);
      commands.destroy();
    }
  };
  const hide = (now: boolean) => {
    isHidden = now;
    widget?.hide(now);
  };
  /** Tells the page that the panel has opened or closed. A new widget in the place of an open one is no opening. */
  const setOpen = (now: boolean) => {
    if (now) setUnread(0);
    if (now === isOpenForPage) return;
    isOpenForPage = now;
    emit(`va-wave:${now ? 'open' : 'close'}`, null);
  };
  const setUnread = (count: number) => {
    if (count === unread) return;
    unread = count;
    widget?.setUnread(count, true);
    emit('va-wave:unread', { count });
  };

  const commands: VaWaveCommands & { readonly tag: (next: TagSettings) => void } = {
    open: (form) => {
      const opening = { form, takesFocus: isVisitorsAct() };
      if (widget) widget.open(opening);
      else nextOpening = opening;
    },
    close: () => {
      nextOpening = undefined;
      widget?.close();
    },
    toggle: () => ((widget ? widget.isOpen() : nextOpening) ? commands.close() : commands.open()),
    isOpen: () => !!widget?.isOpen(),
    // Anything that is not a positive number is 0.
    unread: (count) => setUnread(count > 0 ? Math.trunc(count) : 0),
    show: () => hide(false),
    hide: () => hide(true),
    prefill: (nextVisitor) => {
      visitor = Object(nextVisitor);
      widget?.prefill(visitor);
    },
    texts: (pageTexts) => {
      const changedTexts = Object.entries(Object(pageTexts)).filter(
        ([name, text]) => typeof text === 'string' && text !== Object(texts)[name],
      );
      texts = { ...texts, ...Object.fromEntries(changedTexts) };
      if (changedTexts[0]) render();
    },
    conversation: (next) => {
      view = next;
      render();
    },
    storage: (permission) => {
      if (permission !== 'allow') return;
      isStorageAllowed = true;
      session.storage.allow();
    },
    setSessionToken: (tokenText) => {
      const token = String(tokenText ?? '').trim();
      if (!token || session.acceptIfSameVisitor(token)) return;
      // The answer to a question for another visitor, who has gone meanwhile, does not say who is there now. The page is asked again.
      const next = visitorOf(token);
      if (!requests.answer(next)) return replaceVisitor({ ...settings, token });
      emit('va-wave:token-expired', null);
    },
    ready: (callback) => {
      if (widget) callback();
      else pageDocument.addEventListener('va-wave:ready', callback, { once: true });
    },
    reset: () => {
      perTab.clear();
      perBrowser.clear();
      visitor = {};
      const hadToken = session.hasToken;
      replaceVisitor({ ...settings, token: undefined }, hadToken ? undefined : init);
      if (hadToken) emit('va-wave:token-expired', null);
    },
    /**
     * A further tag counts when it has a token, or when the tag before is no longer in the page. Its token answers no question: the page
     * says by it who is there.
     */
    tag: (next) => {
      if (settings.script.isConnected && !next.token) {
        if (next.debug) console.warn('[va-wave] this tag has no effect.');
        return;
      }
      settings = next;
      if (next.token) {
        requests.answer(visitorOf(next.token));
        commands.setSessionToken(next.token);
      } else if (session.hasToken || session.siteId !== next.siteId) replaceVisitor(next);
    },
    destroy: () => {
      isDestroyed = true;
      session.end();
      init = undefined;
      render();
      if (window.vaWave !== api) return;
      // Later calls of the page then cause no errors and wait for the next start.
      Object.assign(window, { vaWave: stub });
      // A name that the page has declared with var cannot be deleted, and has no value then.
      if (!stub) Reflect.deleteProperty(window, 'vaWave');
    },
  };
  const call = (command: string, ...values: unknown[]) => {
    // An unknown command may belong to another version. It must not break the page.
    if (Object.hasOwn(commands, command)) return Object(commands)[command](...values);
  };
  const push = (queued: unknown) => {
    const [command, ...values] = Array.from(Object(queued));
    call(String(command), ...values);
  };
  // A script that has kept the stub adds its calls to this queue.
  const api: VaWave = Object.assign(call, commands, { q: { push } });
  // Set before any request, so that a second tag does not start a second widget.
  window.vaWave = api;
  void initialize();
  stub?.q?.splice(0).forEach(push);
}

/** Returns whether a call of the page follows from an act of the visitor, who is not typing in a field of the page. */
function isVisitorsAct(): boolean {
  if (/^(click|keydown|submit)$/.test(Object(window.event).type)) return true;
  const isTyping = pageDocument.activeElement?.matches('input,textarea,[contenteditable]');
  return !isTyping && Object(navigator).userActivation?.isActive !== false;
}
