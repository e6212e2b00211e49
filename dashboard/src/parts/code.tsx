import { CopyToClipboard } from '@cloudscape-design/components';

/** Shows a text with a button that copies it. */
export function Code(props: { readonly label: string; readonly text: string; readonly wrap?: boolean }) {
  return (
    <div className={props.wrap === true ? 'code wrap' : 'code'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that is wider than the page scrolls, and a keyboard must reach it */}
      <section aria-label={props.label} tabIndex={0}>
        <pre>
          <code>{props.text}</code>
        </pre>
      </section>
      <CopyToClipboard
        copyButtonText="Copy"
        copyButtonAriaLabel={`Copy: ${props.label}`}
        copySuccessText="Copied"
        copyErrorText="Copying failed; select the text instead"
        textToCopy={props.text}
      />
    </div>
  );
}
