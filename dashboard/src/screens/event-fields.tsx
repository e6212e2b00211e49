import { FormField, Multiselect } from '@cloudscape-design/components';
import { EVENT_CATALOG, EVENT_NAMES } from '../../../src/contract/events.ts';
import { useDashboard } from '../parts/context.ts';
import type { Problems } from '../parts/use-problems.ts';
import type { ActionValues } from './action-values.ts';

export type FieldsProps = {
  readonly values: ActionValues;
  readonly set: (change: Partial<ActionValues>) => void;
  readonly problems: Problems;
};

const option = (name: (typeof EVENT_NAMES)[number]) => {
  const { firesWhen, reserved } = EVENT_CATALOG[name];
  return { value: name, label: name, description: reserved ? `${firesWhen} (not yet firing)` : firesWhen };
};
const GROUPS = [...new Set(EVENT_NAMES.map((name) => EVENT_CATALOG[name].group))].map((label) => ({
  label,
  options: EVENT_NAMES.filter((name) => EVENT_CATALOG[name].group === label).map(option),
}));

/** The fields of an Event Action: its events. */
export function EventFields({ values, set, problems }: FieldsProps) {
  const { isAdmin } = useDashboard();
  return (
    <FormField
      label="Events"
      description="The Action fires on each of them. You can select events marked “not yet firing”, but they are not delivered today."
      errorText={problems.of('events')}
      stretch
    >
      <Multiselect
        selectedOptions={EVENT_NAMES.filter((name) => values.events.includes(name)).map(option)}
        options={GROUPS}
        disabled={!isAdmin}
        filteringType="auto"
        filteringAriaLabel="Find an event"
        filteringPlaceholder="Find an event"
        placeholder="Choose events"
        deselectAriaLabel={({ label }) => `Remove ${label}`}
        onChange={({ detail }) => {
          const chosen = new Set(detail.selectedOptions.map(({ value }) => value));
          set({ events: EVENT_NAMES.filter((name) => chosen.has(name)) });
        }}
      />
    </FormField>
  );
}
