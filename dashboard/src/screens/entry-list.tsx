import { Box, FormField, SpaceBetween, TokenGroup } from '@cloudscape-design/components';
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
  readonly field: 'allowed_domains' | 'ip_allowlist';
  readonly problems: Problems;
  /** The message for an entry that the service does not accept. */
  readonly refusal: string;
  readonly onChange: (entries: string[]) => void;
}) {
  const { api, isAdmin } = useDashboard();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();

  const problemOf = (entry: string) => props.problems.of(props.field, entry);
  const wrong = props.entries.filter((entry) => problemOf(entry) !== undefined);
  const refused = props.problems.of(props.field) ?? wrong.map((entry) => `${entry}: ${problemOf(entry)}`).join(' ');

  const add = async (typed: string) => {
    const isAddress = props.field === 'ip_allowlist';
    const body = { entries: isAddress ? [] : [typed], addresses: isAddress ? [typed] : [] };
    const { entries, addresses } = await api('checkHosts', {}, { body });
    const normalized = [...entries, ...addresses][0]?.normalized ?? null;
    if (normalized === null) return setProblem(props.refusal);
    if (!props.entries.includes(normalized)) props.onChange([...props.entries, normalized]);
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
