import { useEffect, useRef } from 'react';
import type { FormField } from '../../../src/contract/actions.ts';
import { element } from '../../../widget/dom.ts';
import { panel } from '../../../widget/panel.ts';
import { siteStorage } from '../../../widget/storage.ts';
import styles from '../../../widget/styles.css?inline';
import english from '../../../widget/texts/en.json';

/** Puts the panel into the page instead of over it. The widget's close button has nothing to close here. */
const IN_PLACE = `
  :host { position: static !important; width: auto !important; height: auto !important; z-index: auto !important; }
  .panel { position: static; max-width: 100%; max-height: none; box-shadow: none; animation: none !important; }
  .bar button { display: none; }`;

/** Shows a form with the widget's own code. A submission succeeds and goes nowhere. */
export default function FormPreview(props: { readonly name: string; readonly fields: readonly FormField[] }) {
  const host = useRef<HTMLDivElement>(null);
  const form = JSON.stringify({ name: props.name, fields: props.fields, slug: 'preview' });
  useEffect(() => {
    if (host.current === null) return;
    const shadow = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    shadow.adoptedStyleSheets = [styles, IN_PLACE].map((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      return sheet;
    });
    const previewPanel = panel(
      [JSON.parse(form)],
      undefined,
      { submit: async () => ({ kind: 'sent' }), storage: siteStorage('preview', true) },
      english,
      // The panel shows by itself what it would tell.
      () => undefined,
      // Nothing closes the panel, and there is no view that could fail.
      () => undefined,
      () => undefined,
    );
    // Its method `show` would move the focus into it.
    previewPanel.node.open = true;
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'root dark' : 'root';
    shadow.replaceChildren(element('div', { class: theme, lang: 'en', dir: 'ltr' }, previewPanel.node));
  }, [form]);
  return <div ref={host} />;
}
