import { AttributeEditor, Checkbox, FormField, SpaceBetween } from '@cloudscape-design/components';
import { useRef } from 'react';
import { AI_DESCRIPTION_MIN_CHARACTERS } from '../../../src/contract/limits.ts';
import { Cell, TextField } from '../parts/fields.tsx';
import type { ActionFields, ActionValues } from './action-form.ts';

type MapEntry = ActionValues['response_field_map'][number];

/** The fields of an AI-decided Action: its description for the assistant, and the use of the response. */
export function AiFields({ form }: ActionFields) {
  const { values, set, problems, disabled } = form;
  const entries = values.response_field_map;
  /** The row that takes the focus, because it was added last. */
  const added = useRef('');
  const column = (label: string, part: 'name' | 'path', placeholder: string) => ({
    label,
    errorText: ({ id }: MapEntry, index: number) => {
      const text = problems.of('response_field_map', id, part);
      return text && `Entry ${index + 1}, ${label}: ${text}`;
    },
    control: (entry: MapEntry, index: number) => (
      <Cell
        label={`${label} of entry ${index + 1}`}
        isNew={part === 'name' && entry.id === added.current}
        value={entry[part]}
        disabled={disabled}
        placeholder={placeholder}
        onChange={(text) =>
          set(
            'response_field_map',
            entries.map((other) => (other.id === entry.id ? { ...other, [part]: text } : other)),
          )
        }
      />
    ),
  });
  return (
    <SpaceBetween size="l">
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
      <FormField label="Response" errorText={problems.of('feed_response_back')} stretch>
        <Checkbox
          checked={values.feed_response_back}
          disabled={disabled}
          description="Otherwise the assistant learns only that the Action completed."
          onChange={({ detail }) => set('feed_response_back', detail.checked)}
        >
          Feed the response back to the assistant
        </Checkbox>
      </FormField>
      {(values.feed_response_back || entries.length > 0) && (
        <FormField
          label="Response field map"
          description="Optional. The parts of the JSON response that the assistant receives. Without entries, it receives the top-level strings, numbers, booleans and nulls."
          errorText={problems.of('response_field_map')}
          stretch
        >
          <AttributeEditor<MapEntry>
            items={entries}
            empty="No entries"
            addButtonText="Add entry"
            removeButtonText="Remove"
            disableAddButton={disabled}
            isItemRemovable={() => !disabled}
            removeButtonAriaLabel={(entry) => `Remove ${entry.name || `entry ${entries.indexOf(entry) + 1}`}`}
            onAddButtonClick={() => {
              added.current = crypto.randomUUID();
              set('response_field_map', [...entries, { id: added.current, name: '', path: '$.' }]);
            }}
            onRemoveButtonClick={({ detail }) =>
              set(
                'response_field_map',
                entries.filter((_, index) => index !== detail.itemIndex),
              )
            }
            definition={[column('Name', 'name', 'status'), column('Path', 'path', '$.order.status')]}
          />
        </FormField>
      )}
    </SpaceBetween>
  );
}
