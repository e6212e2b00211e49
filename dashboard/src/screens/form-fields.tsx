import { AttributeEditor, Button, Checkbox, FormField, SpaceBetween } from '@cloudscape-design/components';
import { type ReactNode, useRef } from 'react';
import { FIELD_TYPES } from '../../../src/contract/action-kinds.ts';
import { FORM_FIELDS_MAX, FORM_KEY_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import { Cell, OneOf } from '../parts/fields.tsx';
import type { ActionFields, ActionValues } from './action-form.ts';

type Field = ActionValues['form_fields'][number];

const MOVES = [
  { by: -1, icon: 'arrow-up', where: 'up' },
  { by: 1, icon: 'arrow-down', where: 'down' },
] as const;

/** Returns a key for a label: its letters and digits without accents. */
const keyOf = (label: string) =>
  label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, FORM_KEY_MAX_CHARACTERS);

/** The fields of a Form Action. */
export function FormFields({ form }: ActionFields) {
  const { set, problems, disabled } = form;
  const fields = form.values.form_fields;
  /** The button that keeps the keyboard's focus when its field moves. */
  const focusNext = useRef('');
  // The id of a field that is not stored yet is random.
  const isStored = (id: string) => !/^[0-9a-f-]{36}$/.test(id);
  /** The row that takes the focus, because it was added last. */
  const added = useRef('');
  const put = (next: readonly Field[]) => set('form_fields', next);
  const change = (id: string, part: Partial<Field>) =>
    put(fields.map((field) => (field.id === id ? { ...field, ...part } : field)));
  // The key follows the label until it is typed. Receivers know the key of a stored field, whose id it is.
  const relabel = ({ id, key, label }: Field, next: string) =>
    change(id, { label: next, ...(key === keyOf(label) && key !== id && { key: keyOf(next) }) });
  const move = (from: number, by: -1 | 1) =>
    put(fields.toSpliced(from, 1).toSpliced(from + by, 0, ...fields.slice(from, from + 1)));
  const column = (label: string, part: keyof Field, control: (field: Field, name: string) => ReactNode) => ({
    label,
    control: (field: Field, index: number) => control(field, `${label} of field ${index + 1}`),
    errorText: (field: Field, index: number) => {
      const text = problems.of('form_fields', field.id, part);
      return text && `Field ${index + 1}, ${label}: ${text}`;
    },
    warningText: ({ id, key }: Field) =>
      part === 'key' && isStored(id) && key !== id && `Your endpoint knows it as ${id}.`,
  });
  return (
    <FormField
      label="Form fields"
      description="The fields that the widget shows to the visitor. Your endpoint receives each value under its key. An order number or a postal code is a Text: a Number has no zeros in front."
      errorText={problems.of('form_fields')}
      stretch
    >
      <AttributeEditor<Field>
        items={fields}
        empty="No fields yet"
        addButtonText="Add field"
        disableAddButton={disabled || fields.length >= FORM_FIELDS_MAX}
        onAddButtonClick={() => {
          added.current = crypto.randomUUID();
          put([...fields, { id: added.current, key: '', label: '', type: 'Text', required: false }]);
        }}
        customRowActions={({ item: { id, label }, itemIndex }) =>
          !disabled && (
            <SpaceBetween direction="horizontal" size="xxs">
              {MOVES.map(({ by, icon, where }) => (
                <Button
                  key={by}
                  formAction="none"
                  iconName={icon}
                  ariaLabel={`Move ${label || `field ${itemIndex + 1}`} ${where}`}
                  disabled={fields.at(by === -1 ? 0 : -1)?.id === id}
                  // A disabled button with a reason keeps the focus.
                  disabledReason={`It is the ${by === -1 ? 'first' : 'last'} field.`}
                  onClick={() => {
                    focusNext.current = `${id} ${by}`;
                    move(itemIndex, by);
                  }}
                  ref={(button) => {
                    if (button === null || focusNext.current !== `${id} ${by}`) return;
                    focusNext.current = '';
                    button.focus();
                  }}
                />
              ))}
              <Button
                formAction="none"
                ariaLabel={`Remove ${label || `field ${itemIndex + 1}`}`}
                onClick={() => put(fields.filter((field) => field.id !== id))}
              >
                Remove
              </Button>
            </SpaceBetween>
          )
        }
        definition={[
          column('Key', 'key', ({ id, key }, name) => (
            <Cell
              label={name}
              isNew={id === added.current}
              value={key}
              disabled={disabled}
              placeholder="email"
              onChange={(text) => change(id, { key: text })}
            />
          )),
          column('Label', 'label', (field, name) => (
            <Cell
              label={name}
              isNew={false}
              value={field.label}
              disabled={disabled}
              placeholder="Your email"
              onChange={(text) => relabel(field, text)}
            />
          )),
          column('Type', 'type', ({ id, type }, name) => (
            <OneOf
              label={name}
              value={type}
              words={FIELD_TYPES}
              disabled={disabled}
              onChange={(next) => change(id, { type: next })}
            />
          )),
          column('Required', 'required', ({ id, required, label }, name) => (
            <Checkbox
              checked={required}
              disabled={disabled}
              ariaLabel={label === '' ? name : `${label} is required`}
              onChange={({ detail }) => change(id, { required: detail.checked })}
            >
              Required
            </Checkbox>
          )),
        ]}
      />
    </FormField>
  );
}
