import {
  AttributeEditor,
  Button,
  Checkbox,
  FormField,
  Input,
  Select,
  SpaceBetween,
} from '@cloudscape-design/components';
import { useRef } from 'react';
import { FIELD_TYPES } from '../../../src/contract/action-kinds.ts';
import { FORM_FIELDS_MAX, FORM_KEY_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import { useDashboard } from '../parts/context.ts';
import type { FieldValues } from './action-values.ts';
import type { FieldsProps } from './event-fields.tsx';

const MOVES = [
  { by: -1, icon: 'arrow-up', where: 'up' },
  { by: 1, icon: 'arrow-down', where: 'down' },
] as const;
const typeOf = (text: string | undefined) => FIELD_TYPES.find((type) => type === text) ?? 'Text';

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
export function FormFields({ values, set, problems }: FieldsProps) {
  const { isAdmin } = useDashboard();
  const fields = values.form_fields;
  const change = (id: string, part: Partial<FieldValues>) =>
    set({ form_fields: fields.map((field) => (field.id === id ? { ...field, ...part } : field)) });
  /** The button that keeps the keyboard's focus when its field moves. */
  const focusNext = useRef('');
  const move = (from: number, by: -1 | 1) => {
    const next = [...fields];
    next.splice(from + by, 0, ...next.splice(from, 1));
    set({ form_fields: next });
  };
  const wrong = (part: keyof FieldValues, column: string) => (field: FieldValues, index: number) => {
    const text = problems.of('form_fields', field.id, part);
    return text && `Field ${index + 1}, ${column}: ${text}`;
  };
  return (
    <FormField
      label="Form fields"
      description="The fields that the widget shows to the visitor. Your endpoint receives each value under its key."
      errorText={problems.of('form_fields')}
      stretch
    >
      <AttributeEditor<FieldValues>
        items={fields}
        empty="No fields yet"
        addButtonText="Add field"
        disableAddButton={!isAdmin || fields.length >= FORM_FIELDS_MAX}
        onAddButtonClick={() =>
          set({
            form_fields: [...fields, { id: crypto.randomUUID(), key: '', label: '', type: 'Text', required: false }],
          })
        }
        customRowActions={({ item: { id, label }, itemIndex }) =>
          isAdmin && (
            <SpaceBetween direction="horizontal" size="xxs">
              {MOVES.map(({ by, icon, where }) => (
                <Button
                  key={by}
                  formAction="none"
                  iconName={icon}
                  ariaLabel={`Move ${label || 'field'} ${where}`}
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
                ariaLabel={`Remove ${label || 'field'}`}
                onClick={() => set({ form_fields: fields.filter((field) => field.id !== id) })}
              >
                Remove
              </Button>
            </SpaceBetween>
          )
        }
        definition={[
          {
            label: 'Key',
            errorText: wrong('key', 'Key'),
            control: ({ id, key }) => (
              <Input
                value={key}
                disabled={!isAdmin}
                placeholder="email"
                onChange={({ detail }) => change(id, { key: detail.value })}
              />
            ),
          },
          {
            label: 'Label',
            errorText: wrong('label', 'Label'),
            control: ({ id, key, label }) => (
              <Input
                value={label}
                disabled={!isAdmin}
                placeholder="Your email"
                onChange={({ detail }) =>
                  change(id, {
                    label: detail.value,
                    // The key follows the label until it is typed. Receivers know the key of a stored field, whose id it is.
                    ...(key === keyOf(label) && key !== id && { key: keyOf(detail.value) }),
                  })
                }
              />
            ),
          },
          {
            label: 'Type',
            errorText: wrong('type', 'Type'),
            control: ({ id, type }) => (
              <Select
                selectedOption={{ value: type, label: type }}
                disabled={!isAdmin}
                options={FIELD_TYPES.map((value) => ({ value, label: value }))}
                onChange={({ detail }) => change(id, { type: typeOf(detail.selectedOption.value) })}
              />
            ),
          },
          {
            label: 'Required',
            control: ({ id, required, label }) => (
              <Checkbox
                checked={required}
                disabled={!isAdmin}
                ariaLabel={`${label || 'Field'} is required`}
                onChange={({ detail }) => change(id, { required: detail.checked })}
              >
                Required
              </Checkbox>
            ),
          },
        ]}
      />
    </FormField>
  );
}
