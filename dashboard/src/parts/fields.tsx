import {
  Button,
  FormField,
  type FormFieldProps,
  Input,
  type InputProps,
  Select,
  Textarea,
  Toggle,
} from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { isComposing } from '../../../widget/events.ts';
import { useWork } from './context.ts';
import type { Fields } from './form.ts';

type TextFieldProps<Field extends string> = Pick<
  FormFieldProps,
  'description' | 'constraintText' | 'errorText' | 'warningText' | 'info' | 'stretch'
> &
  Pick<InputProps, 'placeholder' | 'inputMode'> & {
    readonly form: Fields<NoInfer<Field>, string>;
    /** The field whose value and problem are shown; an `errorText` replaces its problem. */
    readonly field: Field;
    readonly label: string;
    readonly required?: boolean;
    readonly long?: boolean;
  };

export function TextField<Field extends string>(props: TextFieldProps<Field>) {
  const { form, field, required = false, long = false, placeholder = '', inputMode = 'text', ...fieldProps } = props;
  const control = {
    value: form.values[field],
    disabled: form.isReadOnly,
    ariaRequired: required,
    onChange: ({ detail }: { detail: { value: string } }) => form.setField(field, detail.value),
    placeholder,
  };
  return (
    <FormField errorText={form.problems.of(field)} {...fieldProps}>
      {long ? <Textarea {...control} /> : <Input {...control} inputMode={inputMode} />}
    </FormField>
  );
}

export function OneOf<Word extends string>(props: {
  readonly value: Word;
  readonly words: readonly Word[];
  readonly isReadOnly: boolean;
  /** Names the cell of a table for screen readers. */
  readonly label?: string;
  readonly onChange: (word: Word) => void;
}) {
  const { value, words, label, onChange } = props;
  return (
    <Select
      {...(label !== undefined && { ariaLabel: label })}
      selectedOption={{ value, label: value }}
      disabled={props.isReadOnly}
      options={words.map((word) => ({ value: word, label: word }))}
      onChange={({ detail }) => onChange(words.find((word) => word === detail.selectedOption.value) ?? value)}
    />
  );
}

export function OnOff(props: { readonly form: Fields<'enabled', boolean>; readonly children: ReactNode }) {
  const { form } = props;
  return (
    <Toggle
      checked={form.values.enabled}
      disabled={form.isReadOnly}
      onChange={({ detail }) => form.setField('enabled', detail.checked)}
    >
      {props.children}
    </Toggle>
  );
}

/** An input with a button beside it. The Enter key does the same as the button, unless it ends a word of an input method, and does not save the form. */
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
  const typedText = props.value.trim();
  const act = () => {
    if (typedText !== '') void run(() => props.run(typedText));
  };
  return (
    <div className="text-command">
      <Input
        value={props.value}
        placeholder={props.placeholder}
        // What is typed while the command runs would be lost.
        readOnly={busy}
        {...(props.inputLabel !== undefined && { ariaLabel: props.inputLabel })}
        onChange={({ detail }) => props.onChange(detail.value)}
        onKeyDown={(event) => {
          if (event.detail.key !== 'Enter' || isComposing(event.detail)) return;
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
