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
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { onEvent, useParameters } from '../navigation.ts';
import { comparableText } from './comparable-text.ts';

/** From this number of items on, a list has a search, and rows where the window is wide enough. */
const MANY = 12;
/** From this width on, the rows of every list have room for their columns. */
const WIDE = window.matchMedia('(min-width: 740px)');
const subscribeToWidth = onEvent(WIDE, 'change');
/** Compares texts with numbers in their order: Shop 2 is before Shop 10. */
export const compare = new Intl.Collator('en', { numeric: true }).compare;

/** A column of the rows. `sortBy` returns the text by which they can be sorted. */
export type Column<Item> = TableProps.ColumnDefinition<Item> & {
  readonly id: string;
  readonly sortBy?: (item: Item) => string;
};

/** A filter: the user chooses one of the options, or all. `of` returns the option to which an item belongs. */
type Filter<Item> = {
  readonly label: string;
  readonly options: readonly string[];
  readonly of: (item: Item) => string;
};

export type List<Item> = ReturnType<typeof useList<Item>>;

/**
 * Searches, filters and sorts a long list; the address has its state.
 * @param items in the order of the first column
 * @param hasMore whether there are items that are not loaded
 */
export function useList<Item>(
  items: readonly Item[],
  noun: string,
  textOf: (item: Item) => string,
  filters: readonly Filter<Item>[],
  columns: readonly Column<Item>[],
  hasMore = false,
) {
  const itemCount = `${items.length}${hasMore ? '+' : ''}`;
  const [parameters, change] = useParameters();
  const wide = useSyncExternalStore(subscribeToWidth, () => WIDE.matches);
  const keyOf = ({ label }: Filter<Item>) => label.toLowerCase();
  const chosenOption = (filter: Filter<Item>) =>
    filter.options.find((option) => option === parameters.get(keyOf(filter)));
  const activeFilters = filters.filter(chosenOption);
  const [searchText, setSearchText] = useState(() => parameters.get('find') ?? '');
  const find = (text: string) => {
    setSearchText(text);
    change({ find: text });
  };
  const comparableSearch = comparableText(searchText).trim();
  const matchingItems = items.filter(
    (item) =>
      activeFilters.every((filter) => filter.of(item) === chosenOption(filter)) &&
      comparableText(textOf(item)).includes(comparableSearch),
  );
  const isNarrowed = activeFilters.length > 0 || comparableSearch !== '';
  const isLong = items.length >= MANY || isNarrowed;
  const isTable = items.length >= MANY && wide;

  const [first] = columns;
  const sortedBy = columns.find(({ id, sortBy }) => sortBy && id === parameters.get('sort')) ?? first;
  const isDescending = parameters.get('order') === 'descending';
  const sortedItems = matchingItems.toSorted(
    (a, b) => compare(sortedBy?.sortBy?.(a) ?? '', sortedBy?.sortBy?.(b) ?? '') * (isDescending ? -1 : 1),
  );
  const noMatch = (
    <Empty title={`No ${noun} match the search`}>
      <Button
        onClick={() => {
          find('');
          change(Object.fromEntries(filters.map((filter) => [keyOf(filter), ''])));
        }}
      >
        Show all
      </Button>
    </Empty>
  );
  const searchAndFilters = isLong && (
    <div className="search-and-filters">
      <TextFilter
        filteringText={searchText}
        filteringPlaceholder={`Find ${noun}`}
        filteringAriaLabel={`Find ${noun}`}
        filteringClearAriaLabel="Clear the search"
        countText={isNarrowed ? `${matchingItems.length} of ${itemCount}` : ''}
        onChange={({ detail }) => find(detail.filteringText)}
      />
      {filters.map((filter) => {
        const all = { value: '', label: `${filter.label}: all` };
        const each = filter.options.map((option) => ({ value: option, label: option }));
        return (
          <Select
            key={filter.label}
            ariaLabel={filter.label}
            selectedOption={each.find(({ value }) => value === chosenOption(filter)) ?? all}
            options={[all, ...each]}
            filteringType={each.length >= MANY ? 'auto' : 'none'}
            filteringAriaLabel={`Find in ${filter.label}`}
            onChange={({ detail }) => change({ [keyOf(filter)]: detail.selectedOption.value ?? '' })}
          />
        );
      })}
    </div>
  );
  return {
    isLong,
    isTable,
    /** Whether the window is wide enough for two cells of a card beside each other. */
    wide,
    isInOrder: !isNarrowed && (!isTable || (sortedBy === first && !isDescending)),
    counter: isNarrowed ? `(${matchingItems.length}/${itemCount})` : `(${itemCount})`,
    noun,
    /** Says that nothing matches the search; undefined without a search. */
    none: isNarrowed ? noMatch : undefined,
    // Cards are in the order of the first column.
    shownRows: { items: isTable ? sortedItems : matchingItems, filter: searchAndFilters },
    table: {
      columnDefinitions: columns.map((column) => (column.sortBy ? { ...column, sortingField: column.id } : column)),
      sortingColumn: { sortingField: sortedBy?.id ?? '' },
      sortingDescending: isDescending,
      onSortingChange: ({ detail: { sortingColumn, isDescending } }: { detail: TableProps.SortingState<Item> }) =>
        change({ sort: sortingColumn.sortingField ?? '', order: isDescending === true ? 'descending' : '' }),
    },
  };
}

/** Shows a list as rows or cards. @param props.empty shown when there are no items */
export function Items<Item>(props: {
  readonly list: List<Item>;
  readonly trackBy: string & keyof Item;
  readonly header: ReactNode;
  readonly empty: ReactNode;
  readonly card: CardsProps.CardDefinition<Item>;
}) {
  const { list, header, trackBy } = props;
  const common = { ...list.shownRows, header, trackBy, empty: list.none ?? props.empty };
  return list.isTable ? (
    <Table<Item>
      {...common}
      {...list.table}
      wrapLines
      contentDensity="compact"
      ariaLabels={{ tableLabel: list.noun }}
    />
  ) : (
    <Cards<Item>
      {...common}
      // The type asks for the labels of a selection, which no list has.
      ariaLabels={{ itemSelectionLabel: () => '', selectionGroupLabel: '', cardsLabel: list.noun }}
      cardDefinition={props.card}
      cardsPerRow={[{ cards: 1 }, { minWidth: 760, cards: 2 }]}
    />
  );
}

export function Empty(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Box textAlign="center">
      <SpaceBetween size="xs" alignItems="center">
        <Box variant="strong">{props.title}</Box>
        {props.children}
      </SpaceBetween>
    </Box>
  );
}
