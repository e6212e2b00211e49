import {
  Box,
  Button,
  Cards,
  type CardsProps,
  Select,
  SpaceBetween,
  Table,
  type TableProps,
  TextFilter,
} from '@cloudscape-design/components';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useParameters } from '../navigation.ts';

/** From this number of items on, a list has a search, and rows where the window is wide enough. */
const MANY = 12;
const WIDE = window.matchMedia('(min-width: 740px)');

/** Compares names with numbers in their order: Shop 2 is before Shop 10. */
export const byName = new Intl.Collator('en', { numeric: true }).compare;

/** A filter: the user chooses one of these options, or all. */
type Choice<Item> = {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly fits: (item: Item) => boolean }[];
};

/** A filter by whether items are enabled. */
export const onOff = (label: string): Choice<{ readonly enabled: boolean }> => ({
  label,
  options: [
    { label: 'On', fits: ({ enabled }) => enabled },
    { label: 'Off', fits: ({ enabled }) => !enabled },
  ],
});

/** A column of the rows. `sortBy` returns the text by which they can be sorted. */
export type Column<Item> = Omit<TableProps.ColumnDefinition<Item>, 'sortingField'> & {
  readonly id: string;
  readonly sortBy?: (item: Item) => string;
};

export type Narrowed<Item> = {
  readonly shown: readonly Item[];
  /** Whether the list is long. */
  readonly many: boolean;
  /** Whether a long list is shown as rows instead of cards. */
  readonly rows: boolean;
  /** Whether a search or a filter is active. */
  readonly narrowed: boolean;
  /** Whether all items are shown in the order of the first column. */
  readonly inOrder: boolean;
  /** The number of items, and of those that are shown. */
  readonly counter: string;
  /** The search and the filters. Nothing for a short list. */
  readonly filter: ReactNode;
  /** The message for a search without results. */
  readonly none: ReactNode;
  readonly sorting: Pick<TableProps<Item>, 'sortingColumn' | 'sortingDescending' | 'onSortingChange'>;
  readonly columnDefinitions: TableProps<Item>['columnDefinitions'];
  readonly noun: string;
};

/**
 * Searches, filters and sorts a list when it is long. The address has the state, so that a reload and Back restore it.
 * @param noun plural noun for the items
 * @param textOf returns the text of an item for the search
 * @param columns the columns of the rows. The items arrive in the order of the first one
 */
export function useNarrowed<Item>(
  items: readonly Item[],
  noun: string,
  textOf: (item: Item) => string,
  choices: readonly Choice<Item>[],
  columns: readonly Column<Item>[],
): Narrowed<Item> {
  const [parameters, change] = useParameters();
  const wide = useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener('change', listener);
      return () => WIDE.removeEventListener('change', listener);
    },
    () => WIDE.matches,
  );
  const text = parameters.get('find') ?? '';
  const chosen = ({ label, options }: Choice<Item>) =>
    options.find((option) => option.label === parameters.get(label.toLowerCase()));
  const many = items.length >= MANY;
  const rows = many && wide;
  const wanted = text.trim().toLowerCase();
  const narrowed = many && (wanted !== '' || choices.some((choice) => chosen(choice) !== undefined));
  const fits = (item: Item) =>
    textOf(item).toLowerCase().includes(wanted) && choices.every((choice) => chosen(choice)?.fits(item) ?? true);
  const found = narrowed ? items.filter(fits) : items;
  const { id: sort = '', sortBy = () => '' } =
    columns.find(({ id }) => id === parameters.get('sort')) ?? columns[0] ?? {};
  const sortingDescending = parameters.get('order') === 'descending';
  const sorted = rows ? found.toSorted((a, b) => byName(sortBy(a), sortBy(b))) : found;
  const counter = narrowed ? `(${found.length}/${items.length})` : `(${items.length})`;
  const filter = many && (
    <div className="narrow">
      <TextFilter
        filteringText={text}
        filteringPlaceholder={`Find ${noun}`}
        filteringAriaLabel={`Find ${noun}`}
        filteringClearAriaLabel="Clear the search"
        countText={narrowed ? `${found.length} of ${items.length}` : ''}
        onChange={({ detail }) => change({ find: detail.filteringText })}
      />
      {choices.map((choice) => {
        const all = { value: '', label: `${choice.label}: all` };
        const each = choice.options.map(({ label }) => ({ value: label, label }));
        return (
          <Select
            key={choice.label}
            ariaLabel={choice.label}
            selectedOption={each.find(({ value }) => value === chosen(choice)?.label) ?? all}
            options={[all, ...each]}
            onChange={({ detail }) => change({ [choice.label.toLowerCase()]: detail.selectedOption.value ?? '' })}
          />
        );
      })}
    </div>
  );
  const none = (
    <Box textAlign="center">
      <SpaceBetween size="xs">
        <Box variant="strong">No {noun} match the search</Box>
        <Button
          onClick={() =>
            change({ find: '', ...Object.fromEntries(choices.map(({ label }) => [label.toLowerCase(), ''])) })
          }
        >
          Show all
        </Button>
      </SpaceBetween>
    </Box>
  );
  return {
    shown: sortingDescending && rows ? sorted.toReversed() : sorted,
    many,
    rows,
    narrowed,
    inOrder: !narrowed && (!rows || (sort === columns[0]?.id && !sortingDescending)),
    noun,
    counter,
    filter,
    none,
    sorting: {
      sortingColumn: { sortingField: sort },
      sortingDescending,
      onSortingChange: ({ detail }) =>
        change({
          sort: detail.sortingColumn.sortingField ?? '',
          order: detail.isDescending === true ? 'descending' : '',
        }),
    },
    columnDefinitions: columns.map(({ sortBy, ...column }) =>
      sortBy ? { ...column, sortingField: column.id } : column,
    ),
  };
}

/** Shows a narrowed list as rows or cards. @param props.empty shown when there are no items */
export function Items<Item>(props: {
  readonly list: Narrowed<Item>;
  readonly trackBy: string & keyof Item;
  readonly header: ReactNode;
  readonly empty: ReactNode;
  readonly card: CardsProps.CardDefinition<Item>;
}) {
  const { list } = props;
  const common = { header: props.header, filter: list.filter, items: list.shown, trackBy: props.trackBy };
  if (list.rows) {
    return (
      <Table<Item>
        {...common}
        {...list.sorting}
        wrapLines
        contentDensity="compact"
        ariaLabels={{ tableLabel: list.noun }}
        empty={list.none}
        columnDefinitions={list.columnDefinitions}
      />
    );
  }
  return (
    <Cards<Item>
      {...common}
      empty={list.narrowed ? list.none : props.empty}
      ariaLabels={{ itemSelectionLabel: () => '', selectionGroupLabel: '', cardsLabel: list.noun }}
      cardDefinition={props.card}
      cardsPerRow={[{ cards: 1 }, { minWidth: 760, cards: 2 }]}
    />
  );
}
