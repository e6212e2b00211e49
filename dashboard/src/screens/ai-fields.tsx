import { Checkbox, FormField } from '@cloudscape-design/components';
import { AI_DESCRIPTION_MIN_CHARACTERS } from '../../../src/contract/limits.ts';
import { TextField } from '../parts/fields.tsx';
import { Rows } from '../parts/rows.tsx';
import type { ActionFields } from './action-form.ts';

// The fields of an AI-decided Action: its description for the assistant, and the use of the response.

export function DescriptionField({ form }: ActionFields) {
  return (
    <TextField
      form={form}
      field="description"
      label="Description"
      description="Tells the assistant when to call this Action."
      constraintText={`At least ${AI_DESCRIPTION_MIN_CHARACTERS} characters.`}
      long
      required
      stretch
    />
  );
}

export function FeedResponseBack({ form: { values, setField, problems, isReadOnly } }: ActionFields) {
  return (
    <FormField label="Response" errorText={problems.of('feed_response_back')} stretch>
      <Checkbox
        checked={values.feed_response_back}
        disabled={isReadOnly}
        description="Otherwise the assistant learns only that the Action completed."
        onChange={({ detail }) => setField('feed_response_back', detail.checked)}
      >
        Feed the response back to the assistant
      </Checkbox>
    </FormField>
  );
}

/** Only where it has an effect, or entries. */
export function ResponseFieldMap({ form }: ActionFields) {
  const { feed_response_back, response_field_map } = form.values;
  if (!feed_response_back && response_field_map.length === 0) return null;
  return (
    <Rows
      form={form}
      field="response_field_map"
      label="Response field map"
      description="Optional. The parts of the JSON response that the assistant receives. Without entries, it receives the top-level strings, numbers, booleans and nulls."
      noun="Entry"
      nameOf={({ name }) => name}
      blank={(id) => ({ id, name: '', path: '$.' })}
      columns={[
        { label: 'Name', part: 'name', placeholder: 'status', partsOf: (name) => ({ name }) },
        { label: 'Path', part: 'path', placeholder: '$.order.status', partsOf: (path) => ({ path }) },
      ]}
    />
  );
}
