import type { FormPanel, InitResponse } from '../src/contract/widget.ts';
import { element, icon } from './dom.ts';
import { type Announce, type FormSession, formView } from './form.ts';
import type { Texts } from './texts.ts';
import type { VaWaveVisitor } from './va-wave.d.ts';

const BACK = 'M15 5l-7 7 7 7';
const FORWARD = 'M9 5l7 7-7 7';
const CLOSE = 'M6 6l12 12M18 6L6 18';

/**
 * Creates the dialog. It shows the conversation view below the list of forms; without a view, the list of forms or the only form.
 * @param mountView mounts the view of the page or the platform, and returns what removes it
 */
export function panel(
  forms: InitResponse['forms'],
  mountView: ((place: HTMLElement) => unknown) | null | undefined,
  session: FormSession,
  texts: Texts,
  announce: Announce,
  onClose: () => void,
  onViewFailed: () => void,
) {
  const title = element('h2', { id: 'title', tabindex: '-1' });
  const back = element('button', { type: 'button', class: 'back', 'aria-label': texts.back }, icon(BACK));
  const close = element('button', { type: 'button', 'aria-label': texts.close }, icon(CLOSE));
  // Boxes that scroll are no stops of the Tab key, which Firefox would make them: what is in them can be reached.
  const body = element('div', { class: 'body', tabindex: '-1' });
  const talk = element('div', { class: 'talk', tabindex: '-1' });
  const place = element('div', { class: 'view', tabindex: '-1' });
  const views = forms.map((form) => formView(form, session, texts, announce));
  let isMounted = false;
  /** The form that is shown; empty for none. */
  let slug = '';
  /** What mountView returned: a function that removes the view, or anything else. */
  let unmount: unknown;

  /** The name of a form can be in another language than the widget's texts and the page. */
  const nameOf = (form: FormPanel) => element('bdi', { lang: '' }, form.name);

  /** Shows an element, or the conversation view in its absence. @param isHome hides the Back button */
  const show = (heading: string | Node, content: Node | undefined, isHome: boolean) => {
    title.replaceChildren(heading);
    back.hidden = isHome;
    // The view stays in the document, so that it keeps its scroll position and screen readers still read its updates.
    talk.hidden = !!content;
    body.hidden = !content;
    body.replaceChildren(content ?? '');
    body.scrollTop = 0;
  };
  const showForm = (form: FormPanel, isHome: boolean) => {
    slug = form.slug;
    show(nameOf(form), views[forms.indexOf(form)]?.node, isHome);
  };
  const showHome = () => {
    slug = '';
    const [first, ...others] = forms;
    if (mountView) show(texts.title, undefined, true);
    else if (first && others.length === 0) showForm(first, true);
    else show(texts.title, element('div', {}, element('p', { class: 'intro' }, texts.intro), topics()), true);
  };
  const topics = () => {
    const list = element('ul', { class: 'topics', role: 'list', tabindex: '-1' });
    for (const form of forms) {
      const open = element('button', { type: 'button', class: 'topic' }, nameOf(form), icon(FORWARD));
      open.onclick = () => {
        showForm(form, false);
        title.focus();
      };
      list.append(element('li', {}, open));
    }
    return list;
  };
  /** Reports an error of the view as an error of the page. The view goes a moment later, when the page knows that the panel is open. */
  const reportingErrors = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      reportError(error);
      return queueMicrotask(onViewFailed);
    }
  };

  back.onclick = () => {
    showHome();
    title.focus();
  };
  close.onclick = onClose;
  if (mountView) talk.append(forms.length > 0 ? topics() : '', place);
  showHome();

  const node = element(
    'dialog',
    { id: 'panel', popover: 'manual', class: mountView ? 'panel tall' : 'panel', 'aria-labelledby': 'title' },
    element('div', { class: 'bar' }, back, title, close),
    talk,
    body,
  );
  return {
    node,
    title,
    slug: () => slug,
    /** Returns the field of the visible form with this name. */
    fieldNamed: (name = '') =>
      [...body.querySelectorAll<HTMLInputElement>('input, textarea')].find((input) => name && input.name === name),
    showForm: (slug: string) => {
      const form = forms.find((one) => one.slug === slug);
      if (form) showForm(form, !mountView && forms.length === 1);
    },
    prefill: (visitor: VaWaveVisitor) => {
      for (const view of views) view.prefill(visitor);
    },
    /** Must be called when the panel opens. The first call mounts the conversation view. */
    opened: () => {
      if (!mountView || isMounted) return;
      isMounted = true;
      unmount = reportingErrors(() => mountView(place));
    },
    /** Must be called when the panel was removed. Removes the conversation view. */
    removed: () => {
      const remove = unmount;
      if (typeof remove === 'function') reportingErrors(() => remove());
    },
  };
}
