import type { FormPanel, InitResponse } from '../src/contract/widget.ts';
import type { ConversationPlace } from './conversation.ts';
import { element, icon } from './dom.ts';
import { type FormView, formView } from './form.ts';
import type { Session } from './session.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

const BACK = 'M15 5l-7 7 7 7';
const FORWARD = 'M9 5l7 7-7 7';
const CLOSE = 'M6 6l12 12M18 6L6 18';

export type Panel = {
  readonly node: HTMLDialogElement;
  /** Moves the keyboard focus to the title. */
  readonly focus: () => void;
  /** Shows the form with this slug if it exists. */
  readonly showForm: (slug: string) => void;
  readonly prefill: (visitor: VaWaveVisitor) => void;
  /** Must be called when the panel opens. The first call mounts the conversation view. */
  readonly opened: () => void;
};

export type PanelContent = {
  readonly forms: InitResponse['forms'];
  /** The owner of the drafts to restore. */
  readonly owner: string;
  readonly visitor: VaWaveVisitor;
  readonly place: ConversationPlace | undefined;
};

/** Creates the dialog. It shows the conversation view below the list of forms; without a view, the list of forms or the only form. */
export function panel(
  content: PanelContent,
  session: Pick<Session, 'submit'>,
  texts: Texts,
  onClose: () => void,
): Panel {
  const { forms, owner } = content;
  let { visitor, place } = content;
  const title = element('h2', { id: 'title', tabindex: '-1' });
  const back = element('button', { type: 'button', class: 'back', 'aria-label': texts.back }, icon(BACK));
  const close = element('button', { type: 'button', 'aria-label': texts.close }, icon(CLOSE));
  const body = element('div', { class: 'body' });
  const talk = element('div', { class: 'talk' });
  const views = new Map<string, FormView>();
  const language = document.documentElement.lang;

  const show = (heading: string, shown: Node | undefined, isHome: boolean) => {
    title.textContent = heading;
    title.lang = language;
    if (isHome) title.removeAttribute('lang');
    back.hidden = isHome;
    // The view stays in the document, so that it keeps its scroll position and screen readers still read its updates.
    talk.hidden = shown !== undefined;
    body.hidden = !shown;
    body.replaceChildren(shown ?? '');
    body.scrollTop = 0;
  };
  const showForm = (form: FormPanel, isHome: boolean) => {
    const view = views.get(form.slug) ?? formView(owner, form, session, texts, visitor);
    views.set(form.slug, view);
    show(form.name, view.node, isHome);
  };
  const showHome = () => {
    const [first, ...others] = forms;
    if (place) show(texts.title, undefined, true);
    else if (first && others.length === 0) showForm(first, true);
    else show(texts.title, element('div', {}, element('p', { class: 'intro' }, texts.intro), topics()), true);
  };
  const topics = () => {
    const list = element('ul', { class: 'topics', role: 'list' });
    for (const form of forms) {
      const name = element('bdi', { lang: language }, form.name);
      const open = element('button', { type: 'button', class: 'topic' }, name, icon(FORWARD));
      open.addEventListener('click', () => {
        showForm(form, false);
        title.focus();
      });
      list.append(element('li', {}, open));
    }
    return list;
  };

  back.addEventListener('click', () => {
    showHome();
    title.focus();
  });
  close.addEventListener('click', onClose);
  if (place) talk.append(...(forms.length > 0 ? [topics()] : []), place.node);
  showHome();

  const node = element(
    'dialog',
    { id: 'panel', class: place ? 'panel tall' : 'panel', 'aria-labelledby': 'title' },
    element('div', { class: 'bar' }, back, title, close),
    talk,
    body,
  );
  return {
    node,
    focus: () => title.focus(),
    showForm: (slug) => {
      const form = forms.find((one) => one.slug === slug);
      if (form) showForm(form, !place && forms.length === 1);
    },
    prefill: (known) => {
      visitor = known;
      for (const view of views.values()) view.prefill(known);
    },
    opened: () => {
      if (!place || place.mount()) return;
      place = undefined;
      node.classList.remove('tall');
      talk.remove();
      showHome();
    },
  };
}
