import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { FIELD_TYPES } from '../../../src/contract/action-kinds.ts';
import { FORM_FIELDS_MAX } from '../../../src/contract/limits.ts';
import { useDashboard } from '../parts/context.ts';
import type { FieldValues } from './action-values.ts';
import type { FieldsProps } from './event-fields.tsx';

const typeOf = (text: string | undefined) => FIELD_TYPES.find((type) => type === text) ?? 'Text';

/** What the visitor is asked for. */
export function FormFields({ values, set, problem }: FieldsProps) {
  const { isAdmin } = useDashboard();
  const fields = values.form_fields;
  const change = (id: string, part: Partial<FieldValues>) =>
    set({ form_fields: fields.map((field) => (field.id === id ? { ...field, ...part } : field)) });
  const wrong = problem?.field === 'form_fields' ? problem : undefined;
  return (
    <FormField
      label="Form fields"
      description="What the widget asks the visitor for. Your endpoint gets the values by their keys."
      errorText={wrong && `${wrong.index === undefined ? '' : `Field ${wrong.index + 1}: `}${wrong.text}`}
      stretch
    >
      <AttributeEditor<FieldValues>
        items={fields}
        empty="No fields yet"
        addButtonText="Add field"
        removeButtonText="Remove"
        disableAddButton={!isAdmin || fields.length >= FORM_FIELDS_MAX}
        isItemRemovable={() => isAdmin}
        removeButtonAriaLabel={({ label }) => `Remove ${label || 'field'}`}
        onAddButtonClick={() =>
          set({
            form_fields: [...fields, { id: crypto.randomUUID(), key: '', label: '', type: 'Text', required: false }],
          })
        }
        onRemoveButtonClick={({ detail }) =>
          set({ form_fields: fields.filter((_, index) => index !== detail.itemIndex) })
        }
        definition={[
          {
            label: 'Key',
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
            control: ({ id, label }) => (
              <Input
                value={label}
                disabled={!isAdmin}
                placeholder="Your email"
                onChange={({ detail }) => change(id, { label: detail.value })}
              />
            ),
          },
          {
            label: 'Type',
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
