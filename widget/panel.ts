import type { FormPanel, InitResponse } from '../src/contract/widget.ts';
import { element, icon } from './dom.ts';
import { formView } from './form.ts';
import type { Session } from './session.ts';
import type { Texts } from './texts.ts';

const BACK = 'M15 5l-7 7 7 7';
const FORWARD = 'M9 5l7 7-7 7';
const CLOSE = 'M6 6l12 12M18 6L6 18';

export type Panel = {
  readonly node: HTMLDialogElement;
  /** Puts the keyboard where reading begins. */
  readonly focus: () => void;
};

/** The dialog: the list of forms, or the only form itself. */
export function panel(init: InitResponse, session: Session, texts: Texts, onClose: () => void): Panel {
  const title = element('h2', { id: 'title', tabindex: '-1' });
  const back = element('button', { type: 'button', class: 'back', 'aria-label': texts.back }, icon(BACK));
  const close = element('button', { type: 'button', 'aria-label': texts.close }, icon(CLOSE));
  const body = element('div', { class: 'body' });
  const views = new Map<string, HTMLElement>();
  const language = document.documentElement.lang;

  const show = (heading: string, content: Node, isHome: boolean) => {
    title.textContent = heading;
    title.lang = isHome ? '' : language;
    if (isHome) title.removeAttribute('lang');
    back.hidden = isHome;
    body.replaceChildren(content);
    body.scrollTop = 0;
  };
  const showForm = (form: FormPanel, isHome: boolean) => {
    const view = views.get(form.slug) ?? formView(init.conversation_id, form, session, texts);
    views.set(form.slug, view);
    show(form.name, view, isHome);
  };
  const showHome = () => {
    const [first, ...others] = init.forms;
    if (!first) show(texts.title, element('p', { class: 'intro' }, texts.empty), true);
    else if (others.length === 0) showForm(first, true);
    else show(texts.title, topics(), true);
  };
  const topics = () => {
    const list = element('ul', { class: 'topics', role: 'list' });
    for (const form of init.forms) {
      const name = element('bdi', { lang: language }, form.name);
      const open = element('button', { type: 'button', class: 'topic' }, name, icon(FORWARD));
      open.addEventListener('click', () => {
        showForm(form, false);
        title.focus();
      });
      list.append(element('li', {}, open));
    }
    return element('div', {}, element('p', { class: 'intro' }, texts.intro), list);
  };

  back.addEventListener('click', () => {
    showHome();
    title.focus();
  });
  close.addEventListener('click', onClose);
  showHome();

  const node = element(
    'dialog',
    { id: 'panel', class: 'panel', 'aria-labelledby': 'title' },
    element('div', { class: 'bar' }, back, title, close),
    body,
  );
  return { node, focus: () => title.focus() };
}
