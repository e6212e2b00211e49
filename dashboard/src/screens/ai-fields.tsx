import { AttributeEditor, Checkbox, FormField, Input, SpaceBetween, Textarea } from '@cloudscape-design/components';
import { AI_DESCRIPTION_MIN_CHARACTERS } from '../../../src/contract/limits.ts';
import { useDashboard } from '../parts/context.ts';
import type { ActionValues } from './action-values.ts';
import type { FieldsProps } from './event-fields.tsx';

type MapEntry = ActionValues['response_field_map'][number];

/** The fields of an AI-decided Action: its description for the assistant, and the use of the response. */
export function AiFields({ values, set, problems }: FieldsProps) {
  const { isAdmin } = useDashboard();
  /** The API refuses a whole row. Without a name, the name is the reason; otherwise the path is. */
  const wrongRow = (id: string, named: boolean) =>
    problems.of('response_field_map', id) === undefined
      ? undefined
      : `Entry ${values.response_field_map.findIndex((entry) => entry.id === id) + 1}: ${named ? 'Enter a path such as $.order.status.' : 'Enter a name of at most 100 characters.'}`;
  const change = (id: string, part: Partial<MapEntry>) =>
    set({
      response_field_map: values.response_field_map.map((entry) => (entry.id === id ? { ...entry, ...part } : entry)),
    });
  return (
    <SpaceBetween size="l">
      <FormField
        label="Description"
        description="Tells the assistant when to call this Action."
        constraintText={`At least ${AI_DESCRIPTION_MIN_CHARACTERS} characters.`}
        errorText={problems.of('description')}
        stretch
      >
        <Textarea
          value={values.description}
          disabled={!isAdmin}
          ariaRequired
          onChange={({ detail }) => set({ description: detail.value })}
        />
      </FormField>
      <FormField label="Response" errorText={problems.of('feed_response_back')} stretch>
        <Checkbox
          checked={values.feed_response_back}
          disabled={!isAdmin}
          description="Otherwise the assistant learns only that the Action completed."
          onChange={({ detail }) => set({ feed_response_back: detail.checked })}
        >
          Feed the response back to the assistant
        </Checkbox>
      </FormField>
      {values.feed_response_back && (
        <FormField
          label="Response field map"
          description="Optional. The parts of the JSON response that the assistant receives. Without entries, it receives the top-level strings, numbers, booleans and nulls."
          errorText={problems.of('response_field_map')}
          stretch
        >
          <AttributeEditor<MapEntry>
            items={values.response_field_map}
            empty="No entries"
            addButtonText="Add entry"
            removeButtonText="Remove"
            disableAddButton={!isAdmin}
            isItemRemovable={() => isAdmin}
            removeButtonAriaLabel={({ name }) => `Remove ${name || 'entry'}`}
            onAddButtonClick={() =>
              set({
                response_field_map: [...values.response_field_map, { id: crypto.randomUUID(), name: '', path: '$.' }],
              })
            }
            onRemoveButtonClick={({ detail }) =>
              set({ response_field_map: values.response_field_map.filter((_, index) => index !== detail.itemIndex) })
            }
            definition={[
              {
                label: 'Name',
                errorText: ({ id, name }) => (name.trim() === '' ? wrongRow(id, false) : undefined),
                control: ({ id, name }) => (
                  <Input
                    value={name}
                    disabled={!isAdmin}
                    placeholder="status"
                    onChange={({ detail }) => change(id, { name: detail.value })}
                  />
                ),
              },
              {
                label: 'Path',
                errorText: ({ id, name }) => (name.trim() === '' ? undefined : wrongRow(id, true)),
                control: ({ id, path }) => (
                  <Input
                    value={path}
                    disabled={!isAdmin}
                    placeholder="$.order.status"
                    onChange={({ detail }) => change(id, { path: detail.value })}
                  />
                ),
              },
            ]}
          />
        </FormField>
      )}
    </SpaceBetween>
  );
}
