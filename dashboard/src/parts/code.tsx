import { CopyToClipboard } from '@cloudscape-design/components';

/** Shows an id in its line with a button that copies it. @param label names the id, such as `Site ID` */
export function CopiedId({ label, id }: { readonly label: string; readonly id: string }) {
  return (
    <span className="id">
      <CopyToClipboard
        variant="inline"
        textToCopy={id}
        copyButtonAriaLabel={`Copy the ${label} ${id}`}
        copySuccessText="Copied"
        copyErrorText="Copying failed; select the text instead"
      />
    </span>
  );
}

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
