import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TextFilter from '@cloudscape-design/components/text-filter';
import { type ReactNode, useState } from 'react';

/** From this number of items on, a list has rows and a search. */
const MANY = 12;

/** Compares names with numbers in their order: Shop 2 is before Shop 10. */
export const byName = new Intl.Collator('en', { numeric: true }).compare;

/** A filter: the user chooses one of these options, or all. */
type Choice<Item> = {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly fits: (item: Item) => boolean }[];
};

export type Narrowed<Item> = {
  readonly shown: readonly Item[];
  /** Whether the list is shown as rows instead of cards. */
  readonly many: boolean;
  /** Whether a search or a filter is active. */
  readonly narrowed: boolean;
  /** The number of items, and of those that are shown. */
  readonly counter: string;
  /** The search and the filters. Nothing for a short list. */
  readonly filter: ReactNode;
  /** The message for a search without results. */
  readonly none: ReactNode;
};

/**
 * Searches and filters a list when it is long.
 * @param noun plural noun for the items
 * @param textOf returns the text of an item for the search
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
        <Box variant="strong">No {noun} match the search</Box>
        <Button onClick={clear}>Show all</Button>
      </SpaceBetween>
    </Box>
  );
  return { shown, many, narrowed, counter, filter, none };
}
