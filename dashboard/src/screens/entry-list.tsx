import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TokenGroup from '@cloudscape-design/components/token-group';
import { useState } from 'react';
import { useDashboard } from '../parts/context.ts';
import { TextCommand } from '../parts/text-command.tsx';
import type { Problems } from '../parts/use-problems.ts';

/** A list of short texts. An entry is checked, normalized and added. */
export function EntryList(props: {
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
  /** The noun for one entry. */
  readonly noun: string;
  readonly entries: readonly string[];
  /** The field's name in the API. */
  readonly field: string;
  readonly problems: Problems;
  /** Resolves to the normalized entry, or to the problem of an entry that is refused. */
  readonly accept: (entry: string) => Promise<{ readonly entry: string } | { readonly problem: string }>;
  readonly onChange: (entries: string[]) => void;
}) {
  const { isAdmin } = useDashboard();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();

  const problemOf = (entry: string) => props.problems.of(props.field, entry);
  const wrong = props.entries.filter((entry) => problemOf(entry) !== undefined);
  const refused = props.problems.of(props.field) ?? wrong.map((entry) => `${entry}: ${problemOf(entry)}`).join(' ');

  const add = async (typed: string) => {
    const accepted = await props.accept(typed);
    if ('problem' in accepted) return setProblem(accepted.problem);
    if (!props.entries.includes(accepted.entry)) props.onChange([...props.entries, accepted.entry]);
    setText('');
    setProblem(undefined);
  };

  return (
    <FormField label={props.label} description={props.description} errorText={problem ?? refused} stretch>
      <SpaceBetween size="xs">
        {isAdmin && (
          <TextCommand
            value={text}
            placeholder={props.placeholder}
            inputLabel={`New ${props.noun}`}
            button={`Add ${props.noun}`}
            onChange={(value) => {
              setText(value);
              setProblem(undefined);
            }}
            run={add}
          />
        )}
        {props.entries.length === 0 ? (
          <Box color="text-status-inactive">No entries</Box>
        ) : (
          <TokenGroup
            readOnly={!isAdmin}
            items={props.entries.map((label) => ({
              label,
              dismissLabel: `Remove ${label}`,
              ...(wrong.includes(label) && { iconName: 'status-warning', iconAlt: 'Not valid' }),
            }))}
            onDismiss={({ detail }) => props.onChange(props.entries.filter((_, index) => index !== detail.itemIndex))}
          />
        )}
      </SpaceBetween>
    </FormField>
  );
}
