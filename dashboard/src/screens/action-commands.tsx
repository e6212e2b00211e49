import Button from '@cloudscape-design/components/button';
import ButtonDropdown, { type ButtonDropdownProps } from '@cloudscape-design/components/button-dropdown';
import type { ActionView } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import type { useActionCommands } from './use-action-commands.ts';

/** The buttons and the menu of one Action in the list. */
export function ActionCommands(props: {
  readonly action: ActionView;
  /** The Form Actions in the order of the widget. */
  readonly forms: readonly ActionView[];
  /** Whether the list shows all forms in the order of the widget. */
  readonly inOrder: boolean;
  /** Whether the list is long, so that the commands are small. */
  readonly small: boolean;
  /** Whether the menu is in a table, which would cut it off. */
  readonly inTable: boolean;
  readonly commands: ReturnType<typeof useActionCommands>;
  readonly onOpen: () => void;
  /** Whether the organization has no room for another Action. */
  readonly isFull: boolean;
  readonly onDuplicate: () => void;
  readonly onDelete: () => void;
}) {
  const { isAdmin } = useDashboard();
  const { action, forms, commands } = props;
  const { name } = action;
  const variant = props.small ? 'inline-link' : 'normal';
  if (!isAdmin) {
    return (
      <Button variant={variant} ariaLabel={`View ${name}`} onClick={props.onOpen}>
        View
      </Button>
    );
  }
  const from = forms.findIndex(({ action_id }) => action_id === action.action_id);
  const targets: Readonly<Record<string, number>> = {
    'Move to the top': 0,
    'Move up': from - 1,
    'Move down': from + 1,
    'Move to the bottom': forms.length - 1,
  };
  const whyNot = (to: number) => {
    if (!props.inOrder) return 'Remove the search and the sorting first.';
    if (to < 0 || to === from || to === forms.length) return `It is the ${from === 0 ? 'first' : 'last'} form.`;
    return undefined;
  };
  const moves = Object.entries(targets).map(([text, to]) => {
    const disabledReason = whyNot(to);
    return { id: text, text, ...(disabledReason !== undefined && { disabled: true, disabledReason }) };
  });
  const items: ButtonDropdownProps.ItemOrGroup[] = [
    ...(from >= 0 && forms.length > 1 ? [{ text: 'Order in the widget', items: moves }] : []),
    { id: 'duplicate', text: 'Duplicate', iconName: 'copy', disabled: props.isFull },
    { id: 'delete', text: 'Delete', iconName: 'remove' },
  ];
  return (
    <div className="commands">
      <Button variant={variant} ariaLabel={`Edit ${name}`} onClick={props.onOpen}>
        Edit
      </Button>
      <Button
        variant={variant}
        ariaLabel={`Test ${name}`}
        loading={commands.busy === action.action_id}
        loadingText={`Testing ${name}`}
        onClick={() => commands.test(action)}
      >
        Test
      </Button>
      <ButtonDropdown
        variant="icon"
        ariaLabel={`More for ${name}`}
        items={items}
        expandToViewport={props.inTable}
        onItemClick={({ detail }) => {
          const to = targets[detail.id];
          if (detail.id === 'duplicate') props.onDuplicate();
          else if (to === undefined) props.onDelete();
          else if (commands.busy === undefined) commands.moveTo(action, to);
        }}
        ref={(menu) => {
          if (menu === null || commands.focusNext.current !== action.action_id || commands.busy !== undefined) return;
          commands.focusNext.current = undefined;
          menu.focus();
        }}
      />
    </div>
  );
}
