import { Box, ExpandableSection, FormField, Multiselect, SpaceBetween } from '@cloudscape-design/components';
import { EVENT_CATALOG, EVENT_NAMES, type EventName } from '../../../src/contract/events.ts';
import { Code, notYetFiring } from '../parts/texts.tsx';
import type { ControlProps } from './action-settings.tsx';

const option = (name: EventName) => {
  const description = EVENT_CATALOG[name].firesWhen + notYetFiring(name);
  return { value: name, label: name, description };
};
const EVENT_GROUPS = [...new Set(EVENT_NAMES.map((name) => EVENT_CATALOG[name].group))].map((label) => ({
  label,
  options: EVENT_NAMES.filter((name) => EVENT_CATALOG[name].group === label).map(option),
}));

const ENDED_DATA = {
  conversation_id: '7d0e6f0c-6c43-4d8e-8f57-0a4f4f8c7b11',
  session_id: '2b6f6d0e-8a57-4b0e-9d2d-5f6a7b8c9d0e',
  message_count: 6,
};
/** `data` of the events for which the contract names its contents (spec "Events"). */
const EXAMPLE_DATA: Partial<Record<EventName, object>> = {
  'conversation.started': {
    conversation_id: ENDED_DATA.conversation_id,
    session_id: ENDED_DATA.session_id,
    visitor_id: 'u-42',
    referrer: 'https://shop.example/',
  },
  'conversation.ended': ENDED_DATA,
  'conversation.resolved': ENDED_DATA,
};

export function EventFields({ form, label }: ControlProps) {
  const { values, setField, problems } = form;
  const withExample = values.events.filter((name) => EXAMPLE_DATA[name] !== undefined);
  return (
    <SpaceBetween size="xs">
      <FormField
        label={label}
        description="The Action fires on each of them. You can select events marked “not yet firing”, but they are not delivered today."
        errorText={problems.of('events')}
        stretch
      >
        <Multiselect
          selectedOptions={EVENT_NAMES.filter((name) => values.events.includes(name)).map(option)}
          options={EVENT_GROUPS}
          disabled={form.isReadOnly}
          filteringType="auto"
          filteringAriaLabel="Find an event"
          filteringPlaceholder="Find an event"
          placeholder="Choose events"
          deselectAriaLabel={({ label }) => `Remove ${label}`}
          onChange={({ detail }) => {
            const chosenNames = new Set(detail.selectedOptions.map(({ value }) => value));
            setField(
              'events',
              EVENT_NAMES.filter((name) => chosenNames.has(name)),
            );
          }}
        />
      </FormField>
      <ExpandableSection headerText="What your endpoint receives">
        <SpaceBetween size="xs">
          <Box>
            The envelope is the same for every event. Its <Box variant="code">data</Box> depends on the event; where no
            example shows it, the system that sends the event decides it.
          </Box>
          {(withExample.length > 0 ? withExample : ([values.events[0] ?? 'contact.created'] as const)).map((event) => (
            <Code key={event} wrap label={`Example of ${event}`} text={JSON.stringify(example(event), null, 2)} />
          ))}
        </SpaceBetween>
      </ExpandableSection>
    </SpaceBetween>
  );
}

const example = (event: EventName) => ({
  id: '5a1f0c1e-7b57-4d0f-9d53-6b8d7b2f4c10',
  event,
  timestamp: '2026-01-31T12:00:00Z',
  data: EXAMPLE_DATA[event] ?? {},
  site_id: 'site_h2k7m4q3t5v6x2z6bacd',
  org_id: 'org_p6r2s4w4y7n3j5g3f2lk',
});
