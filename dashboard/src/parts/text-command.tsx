import { Button, Input } from '@cloudscape-design/components';
import { useWork } from './use-work.ts';

/** An input with a button beside it. The Enter key does the same as the button, and does not save the form around them. */
export function TextCommand(props: {
  readonly value: string;
  readonly placeholder: string;
  readonly inputLabel?: string;
  readonly button: string;
  readonly onChange: (value: string) => void;
  /** Called with a text that is not empty. */
  readonly run: (typed: string) => Promise<void>;
}) {
  const [busy, run] = useWork();
  const typed = props.value.trim();
  const act = () => {
    if (typed !== '') void run(() => props.run(typed));
  };
  return (
    <div className="entry">
      <Input
        value={props.value}
        placeholder={props.placeholder}
        {...(props.inputLabel !== undefined && { ariaLabel: props.inputLabel })}
        onChange={({ detail }) => props.onChange(detail.value)}
        onKeyDown={(event) => {
          if (event.detail.key !== 'Enter') return;
          event.preventDefault();
          act();
        }}
      />
      <Button formAction="none" loading={busy} onClick={act}>
        {props.button}
      </Button>
    </div>
  );
}
