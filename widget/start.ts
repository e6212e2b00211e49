import type { InitResponse } from '../src/contract/widget.ts';
import { emit } from './emit.ts';
import { type Stub, takeCalls } from './queue.ts';
import type { Settings } from './script-tag.ts';
import { openSession } from './session.ts';
import { replaced, type Speech, textsFor } from './texts.ts';
import type { VaWave, VaWaveCommands, VaWaveConversationView, VaWaveTexts, VaWaveVisitor } from './va-wave.d.ts';
import { mountWidget, type Widget } from './widget.ts';

/**
 * Asks the service first; only its yes makes anything appear.
 * @param stub the page's stub, whose calls are made up for, and which takes its place again in the end
 */
export function start(settings: Settings, stub: Stub | undefined): void {
  const session = openSession(settings);
  let init: InitResponse | undefined;
  let speech: Speech | undefined;
  let widget: Widget | undefined;
  /** What the page said, which may be before there is a widget. */
  let hidden = settings.hidden;
  let visitor: VaWaveVisitor = {};
  let texts: VaWaveTexts = {};
  let view: VaWaveConversationView | undefined;
  let wanted: { readonly form?: string | undefined } | undefined;
  let destroyed = false;

  /** Builds the widget anew, as open as it was. Without a form and without a view there is nothing to show. */
  const render = () => {
    if (!init || !speech) return;
    const isFirst = !widget;
    if (widget?.isOpen()) wanted ??= {};
    widget?.remove();
    widget = undefined;
    if (init.forms.length === 0 && !view) {
      if (settings.debug) console.warn('[va-wave] nothing to show: the assistant has no enabled Form Action.');
      return;
    }
    widget = mountWidget(init, settings, session, { speech: replaced(speech, texts), visitor, view, hidden });
    if (isFirst) emit('va-wave:ready', null);
    if (wanted) widget?.open(wanted.form);
    wanted = undefined;
  };
  const hide = (now: boolean) => {
    hidden = now;
    widget?.hide(now);
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
    conversation: (given) => {
      view = given;
      render();
    },
    setSessionToken: session.setToken,
    reset: () => {
      session.forget();
      visitor = {};
      render();
    },
    destroy: () => {
      destroyed = true;
      session.end();
      widget?.remove();
      widget = undefined;
      init = undefined;
      if (Object.getOwnPropertyDescriptor(window, 'vaWave')?.value !== api) return;
      Reflect.deleteProperty(window, 'vaWave');
      // The page's later calls are no errors, and wait for the next start.
      if (stub) Object.assign(window, { vaWave: stub });
    },
  };
  const call = (command: string, ...values: unknown[]) => {
    // A command that we do not know may be another version's: no reason to break the page.
    if (Object.hasOwn(commands, command)) Reflect.apply(Object(commands)[command], undefined, values);
  };
  const api: VaWave = Object.freeze(Object.assign(call, commands));
  // Taken at once, so that a second tag does not start a second widget.
  Object.defineProperty(window, 'vaWave', { value: api, configurable: true });
  if (stub) for (const [command, ...values] of takeCalls(stub)) call(String(command), ...values);

  const begin = async () => {
    const [answer, spoken] = await Promise.all([
      session.init(),
      textsFor(settings.base, settings.language || document.documentElement.lang),
    ]);
    if (!answer) return commands.destroy();
    await parsed();
    if (destroyed) return;
    [init, speech] = [answer, spoken];
    render();
  };
  // A browser that lacks something fails before anything was put on the page.
  begin().catch(commands.destroy);
}

/** The page's own elements come first, so that ours is last in the order of the Tab key. */
function parsed(): Promise<unknown> | undefined {
  if (document.readyState !== 'loading') return undefined;
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
}
