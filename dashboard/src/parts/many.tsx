import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TextFilter from '@cloudscape-design/components/text-filter';
import { type ReactNode, useState } from 'react';

/** From so many on, a list is shown in rows, and can be searched. */
const MANY = 12;

/** Shop 2 comes before Shop 10. */
export const byName = new Intl.Collator('en', { numeric: true }).compare;

/** One of these is chosen, or all. */
type Choice<Item> = {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly fits: (item: Item) => boolean }[];
};

export type Narrowed<Item> = {
  readonly shown: readonly Item[];
  /** Whether there are so many that rows show them better than cards. */
  readonly many: boolean;
  /** Whether something is searched for. */
  readonly narrowed: boolean;
  /** How many there are, and how many of them are shown. */
  readonly counter: string;
  /** What to search with; nothing when there are few. */
  readonly filter: ReactNode;
  /** Instead of the rows when none fits. */
  readonly none: ReactNode;
};

/**
 * A list that can be searched when it is long.
 * @param noun of several items; `textOf` what the search looks into
 */
export function useNarrowed<Item>(
  items: readonly Item[],
  noun: string,
  textOf: (item: Item) => string,
  choices: readonly Choice<Item>[],
): Narrowed<Item> {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const many = items.length >= MANY;
  const wanted = text.trim().toLowerCase();
  const narrowed = many && (wanted !== '' || Object.values(chosen).some((label) => label !== ''));
  const fits = (item: Item) =>
    textOf(item).toLowerCase().includes(wanted) &&
    choices.every(({ label, options }) => options.find((one) => one.label === chosen[label])?.fits(item) ?? true);
  const shown = narrowed ? items.filter(fits) : items;
  const counter = narrowed ? `(${shown.length}/${items.length})` : `(${items.length})`;
  const clear = () => {
    setText('');
    setChosen({});
  };
  const filter = many && (
    <div className="narrow">
      <TextFilter
        filteringText={text}
        filteringPlaceholder={`Find ${noun}`}
        filteringAriaLabel={`Find ${noun}`}
        filteringClearAriaLabel="Clear the search"
        countText={narrowed ? `${shown.length} of ${items.length}` : ''}
        onChange={({ detail }) => setText(detail.filteringText)}
      />
      {choices.map(({ label, options }) => {
        const all = { value: '', label: `${label}: all` };
        const each = options.map((one) => ({ value: one.label, label: one.label }));
        return (
          <Select
            key={label}
            ariaLabel={label}
            selectedOption={each.find(({ value }) => value === chosen[label]) ?? all}
            options={[all, ...each]}
            onChange={({ detail }) => setChosen({ ...chosen, [label]: detail.selectedOption.value ?? '' })}
          />
        );
      })}
    </div>
  );
  const none = (
    <Box textAlign="center">
      <SpaceBetween size="xs">
        <Box variant="strong">None of the {noun} fits</Box>
        <Button onClick={clear}>Show all</Button>
      </SpaceBetween>
    </Box>
  );
  return { shown, many, narrowed, counter, filter, none };
}
