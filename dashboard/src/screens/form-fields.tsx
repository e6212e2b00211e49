import { Checkbox } from '@cloudscape-design/components';
import { FIELD_TYPES } from '../../../src/contract/action-kinds.ts';
import { FORM_FIELDS_MAX, FORM_KEY_MAX_CHARACTERS } from '../../../src/contract/limits.ts';
import { OneOf } from '../parts/fields.tsx';
import { Rows } from '../parts/rows.tsx';
import type { ActionValues, ControlProps } from './action-settings.tsx';

type Field = ActionValues['form_fields'][number];

/** Returns a key for a label: its letters and digits without accents; '' for a label without Latin ones, whose key the user types. */
const keyOf = (label: string) =>
  label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, FORM_KEY_MAX_CHARACTERS);

/** Returns a new label with its key, which follows the label until it is typed or stored. */
const relabeledParts = (label: string, { key, isKnownToEndpoint, label: before }: Field) => ({
  label,
  ...(key === keyOf(before) && !isKnownToEndpoint && { key: keyOf(label) }),
});

export function FormFields({ form, label }: ControlProps) {
  return (
    <Rows<Field, 'form_fields'>
      form={form}
      field="form_fields"
      label={label}
      description="The fields that the widget shows to the visitor. Your endpoint receives each value under its key. An order number or a postal code is a Text: a Number has no zeros in front."
      noun="Field"
      nameOf={({ label }) => label}
      blank={(id) => ({ id, isKnownToEndpoint: false, key: '', label: '', type: 'Text', required: false })}
      max={FORM_FIELDS_MAX}
      isOrdered
      columns={[
        {
          label: 'Key',
          part: 'key',
          placeholder: 'email',
          partsOf: (key) => ({ key }),
          warningOf: ({ id, key, isKnownToEndpoint: known }) =>
            known && key !== id && `Your endpoint knows it as ${id}.`,
        },
        { label: 'Label', part: 'label', placeholder: 'Your email', partsOf: relabeledParts },
        {
          label: 'Type',
          part: 'type',
          control: ({ type }, name, change) => (
            <OneOf
              label={name}
              value={type}
              words={FIELD_TYPES}
              isReadOnly={form.isReadOnly}
              onChange={(next) => change({ type: next })}
            />
          ),
        },
        {
          label: 'Required',
          part: 'required',
          control: ({ required, label }, name, change) => (
            <Checkbox
              checked={required}
              disabled={form.isReadOnly}
              ariaLabel={label === '' ? name : `${label} is required`}
              onChange={({ detail }) => change({ required: detail.checked })}
            >
              Required
            </Checkbox>
          ),
        },
      ]}
    />
  );
}
