import { Button, ButtonDropdown, type ButtonDropdownProps } from '@cloudscape-design/components';
import type { ActionView } from '../../../src/contract/dashboard.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import type { Narrowed } from '../parts/many.tsx';
import type { useActionCommands } from './use-action-commands.ts';

/** The buttons and the menu of one Action in the list. */
export function ActionCommands(props: {
  readonly action: ActionView;
  /** The Form Actions in the order of the widget. */
  readonly forms: readonly ActionView[];
  readonly list: Narrowed<ActionView>;
  readonly commands: ReturnType<typeof useActionCommands>;
  /** Whether the organization has no room for another Action. */
  readonly isFull: boolean;
  readonly onDelete: () => void;
}) {
  const { organization, isAdmin } = useDashboard();
  const { action, forms, list, commands } = props;
  const { name, site_id, action_id } = action;
  const open = () => navigate(paths.action(organization.org_id, site_id, action_id));
  // The commands of a long list are small.
  const variant = list.many ? 'inline-link' : 'normal';
  if (!isAdmin) {
    return (
      <Button variant={variant} ariaLabel={`View ${name}`} onClick={open}>
        View
      </Button>
    );
  }
  const from = forms.indexOf(action);
  const targets: Readonly<Record<string, number>> = {
    'Move to the top': 0,
    'Move up': from - 1,
    'Move down': from + 1,
    'Move to the bottom': forms.length - 1,
  };
  const whyNot = (to: number) => {
    if (!list.inOrder) return 'Remove the search and the sorting first.';
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
      <Button variant={variant} ariaLabel={`Edit ${name}`} onClick={open}>
        Edit
      </Button>
      <Button
        variant={variant}
        ariaLabel={`Test ${name}`}
        loading={commands.busy.includes(action_id)}
        loadingText={`Testing ${name}`}
        onClick={() => commands.test(action)}
      >
        Test
      </Button>
      <ButtonDropdown
        variant="icon"
        ariaLabel={`More for ${name}`}
        items={items}
        // A table would cut the menu off.
        expandToViewport={list.rows}
        onItemClick={({ detail }) => {
          const to = targets[detail.id];
          if (detail.id === 'duplicate') navigate(paths.copy(organization.org_id, site_id, action_id));
          else if (to === undefined) props.onDelete();
          else if (commands.busy.length === 0) commands.moveTo(action, to);
        }}
        ref={(menu) => {
          if (menu === null || commands.focusNext.current !== action_id || commands.busy.length > 0) return;
          commands.focusNext.current = undefined;
          menu.focus();
        }}
      />
    </div>
  );
}
