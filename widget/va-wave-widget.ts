import type { InitResponse } from '../src/contract/widget.ts';
import { emit, readSettings, type Settings, type Stub, stubOf } from './page.ts';
import { openSession } from './session.ts';
import { type LanguageTexts, replaced, textsFor } from './texts.ts';
import type { VaWave, VaWaveCommands, VaWaveConversationView, VaWaveTexts, VaWaveVisitor } from './va-wave.d.ts';
import { mountWidget, type Widget } from './widget.ts';

// The loader that a page embeds with one async script tag.
const settings = readSettings();
const stub = stubOf(window);
// hasOwn excludes an element with the id vaWave, which is reachable as window.vaWave too.
if (settings && (stub || !Object.hasOwn(window, 'vaWave'))) start(settings, stub);

/**
 * Starts the widget. Nothing appears on the page before the service has accepted init.
 * @param stub the page's stub. Its calls run first, and `destroy` restores it.
 */
function start(settings: Settings, stub: Stub | undefined): void {
  const session = openSession(settings);
  let init: InitResponse | undefined;
  let languageTexts: LanguageTexts | undefined;
  let widget: Widget | undefined;
  let destroyed = false;
  /** What the page's commands have set. The commands may arrive before the widget exists. */
  let hidden = false;
  let visitor: VaWaveVisitor = {};
  let texts: VaWaveTexts = {};
  let view: VaWaveConversationView | undefined;
  let unread = 0;
  let wanted: { readonly form?: string | undefined } | undefined;

  /** Builds the widget again and keeps it open if it was open. Shows nothing when there is neither a form nor a view. */
  const render = () => {
    if (destroyed || !init || !languageTexts) return;
    const isFirst = !widget;
    const wasOpen = widget?.isOpen();
    if (wasOpen) wanted ??= {};
    widget?.remove();
    widget = undefined;
    if (init.forms.length === 0 && !view) {
      if (settings.debug) console.warn('[va-wave] nothing to show: the assistant has no enabled Form Action.');
      return;
    }
    widget = mountWidget(init, settings, session, replaced(languageTexts, texts), view, () => setUnread(0));
    widget.hide(hidden);
    widget.setUnread(unread);
    widget.prefill(visitor);
    if (isFirst) emit('va-wave:ready', null);
    if (wanted) widget.open(wanted.form, wasOpen);
    wanted = undefined;
  };
  const hide = (now: boolean) => {
    hidden = now;
    widget?.hide(now);
  };
  const setUnread = (count: number) => {
    if (count === unread) return;
    unread = count;
    widget?.setUnread(count);
    emit('va-wave:unread', { count });
  };

  const commands: VaWaveCommands = {
    open: (form) => {
      if (widget) widget.open(form);
      else wanted = { form };
    },
    close: () => {
      wanted = undefined;
      widget?.close();
    },
    toggle: () => ((widget ? widget.isOpen() : wanted) ? commands.close() : commands.open()),
    isOpen: () => !!widget?.isOpen(),
    // Anything that is not a positive number is 0.
    unread: (count) => setUnread(Math.max(0, Math.trunc(count)) || 0),
    show: () => hide(false),
    hide: () => hide(true),
    prefill: (known) => {
      visitor = Object(known);
      widget?.prefill(visitor);
    },
    texts: (own) => {
      texts = { ...texts, ...own };
      render();
    },
    conversation: (newView) => {
      view = newView;
      render();
    },
    setSessionToken: session.setToken,
    reset: () => {
      session.forget();
      visitor = {};
      setUnread(0);
      render();
    },
    destroy: () => {
      destroyed = true;
      session.end();
      widget?.remove();
      widget = undefined;
      if (Object.getOwnPropertyDescriptor(window, 'vaWave')?.value !== api) return;
      Reflect.deleteProperty(window, 'vaWave');
      // Later calls of the page then cause no errors and wait for the next start.
      if (stub) Object.assign(window, { vaWave: stub });
    },
  };
  const call = (command: string, ...values: unknown[]) => {
    // An unknown command may belong to another version. It must not break the page.
    if (Object.hasOwn(commands, command)) return Reflect.apply(Object(commands)[command], undefined, values);
  };
  const api: VaWave = Object.freeze(Object.assign(call, commands));
  // Set before any request, so that a second tag does not start a second widget.
  Object.defineProperty(window, 'vaWave', { value: api, configurable: true });
  for (const kept of stub?.q.splice(0) ?? []) {
    const [command, ...values] = Array.from(Object(kept));
    call(String(command), ...values);
  }

  const begin = async () => {
    const [answer, loadedTexts] = await Promise.all([
      session.init(),
      textsFor(settings.base, settings.language || document.documentElement.lang),
    ]);
    if (!answer) return commands.destroy();
    await parsed();
    [init, languageTexts] = [answer, loadedTexts];
    render();
  };
  // In a browser that lacks a required feature, this fails before anything is on the page.
  begin().catch(commands.destroy);
}

/** Waits until the page is parsed, so that the widget comes after the page's elements in the order of the Tab key. */
function parsed(): Promise<unknown> | undefined {
  if (document.readyState !== 'loading') return undefined;
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
}
