import { AttributeEditor, Button, FormField, Input, SpaceBetween } from '@cloudscape-design/components';
import { type ReactNode, useRef } from 'react';
import type { Fields } from './form.ts';

type Row = { readonly id: string };

type TypedText<R extends Row> = {
  readonly placeholder: string;
  readonly partsOf: (text: string, row: R) => Partial<R>;
};

type OwnControl<R extends Row> = {
  /** @param name names the cell for screen readers, such as `Type of field 2` */
  readonly control: (row: R, name: string, change: (parts: Partial<R>) => void) => ReactNode;
};

/** A part of each row, shown as a text that can be typed, or by another control. */
type Column<R extends Row> = {
  readonly label: string;
  readonly part: string & keyof R;
  readonly warningOf?: (row: R) => string | false;
} & (TypedText<R> | OwnControl<R>);

const MOVES = [
  { by: -1, icon: 'arrow-up', where: 'up' },
  { by: 1, icon: 'arrow-down', where: 'down' },
] as const;

/** A list of rows in a form. Rows are added at the end, removed, and moved. The `id` of a row stays while its parts change. */
export function Rows<R extends Row, Field extends string>(props: {
  readonly form: Fields<NoInfer<Field>, readonly R[]>;
  readonly field: Field;
  readonly label: string;
  readonly description: string;
  readonly noun: 'Entry' | 'Field';
  readonly nameOf: (row: R) => string;
  readonly blank: (id: string) => R;
  readonly columns: readonly Column<R>[];
  readonly max?: number;
  /** Whether the order has a meaning, so that the user can change it. */
  readonly isOrdered?: boolean;
}) {
  const { form, field, noun, max = Number.POSITIVE_INFINITY, isOrdered = false } = props;
  const { problems, isReadOnly } = form;
  const rows = form.values[field];
  const addedId = useRef('');
  /** The button that keeps the keyboard's focus when its row moves: the row's id and the direction. */
  const focusNext = useRef('');
  const setRows = (next: readonly R[]) => form.setField(field, next);
  const change = (id: string, parts: Partial<R>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...parts } : row)));
  const placeOf = (index: number) => `${noun.toLowerCase()} ${index + 1}`;
  const definition = props.columns.map((column, columnIndex) => ({
    label: column.label,
    errorText: ({ id }: R, index: number) => {
      const text = problems.of(field, id, column.part);
      return text && `${noun} ${index + 1}, ${column.label}: ${text}`;
    },
    warningText: column.warningOf,
    control: (row: R, index: number) => {
      const name = `${column.label} of ${placeOf(index)}`;
      if ('control' in column) return column.control(row, name, (parts) => change(row.id, parts));
      return (
        <Input
          value={String(row[column.part])}
          disabled={isReadOnly}
          placeholder={column.placeholder}
          // The label of the column would hide the label of the cell.
          ariaLabelledby=""
          ariaLabel={name}
          autoFocus={columnIndex === 0 && row.id === addedId.current}
          onChange={({ detail }) => change(row.id, column.partsOf(detail.value, row))}
        />
      );
    },
  }));
  const moves = (row: R, from: number, name: string) =>
    MOVES.map(({ by, icon, where }) => (
      <Button
        key={by}
        formAction="none"
        iconName={icon}
        ariaLabel={`Move ${name} ${where}`}
        disabled={rows[from + by] === undefined}
        // A disabled button with a reason keeps the focus.
        disabledReason={`It is the ${by === -1 ? 'first' : 'last'} ${noun.toLowerCase()}.`}
        onClick={() => {
          focusNext.current = `${row.id} ${by}`;
          setRows(rows.toSpliced(from, 1).toSpliced(from + by, 0, row));
        }}
        ref={(button) => {
          if (button === null || focusNext.current !== `${row.id} ${by}`) return;
          focusNext.current = '';
          button.focus();
        }}
      />
    ));
  const actions = ({ item, itemIndex }: { readonly item: R; readonly itemIndex: number }) => {
    const name = props.nameOf(item) || placeOf(itemIndex);
    return (
      !isReadOnly && (
        <SpaceBetween direction="horizontal" size="xxs">
          {isOrdered && moves(item, itemIndex, name)}
          <Button
            formAction="none"
            ariaLabel={`Remove ${name}`}
            onClick={() => setRows(rows.filter(({ id }) => id !== item.id))}
          >
            Remove
          </Button>
        </SpaceBetween>
      )
    );
  };
  return (
    <FormField label={props.label} description={props.description} errorText={problems.of(field)} stretch>
      <AttributeEditor<R>
        items={rows}
        empty="None yet"
        addButtonText={`Add ${noun.toLowerCase()}`}
        disableAddButton={isReadOnly || rows.length >= max}
        onAddButtonClick={() => {
          addedId.current = crypto.randomUUID();
          setRows([...rows, props.blank(addedId.current)]);
        }}
        customRowActions={actions}
        definition={definition}
      />
    </FormField>
  );
}
