import { Button, ButtonDropdown, type ButtonDropdownProps } from '@cloudscape-design/components';
import { useRef, useState } from 'react';
import type { ActionView, AssistantView, DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import type { List } from '../parts/list.tsx';
import type { Loaded } from '../parts/loading.tsx';
import { isolatedTexts } from '../parts/texts.tsx';
import { currentAssistant, errorCodeOf } from '../session/problems.ts';
import { useTest } from './use-test.ts';

/** An Action and its place in the list, from 0. */
export type Placed = ActionView & { readonly position: number };

export function ActionButtons(props: {
  readonly action: Placed;
  readonly formCount: number;
  readonly list: Pick<List<never>, 'isLong' | 'isTable' | 'isInOrder'>;
  readonly commands: ActionCommands;
  readonly isFull: boolean;
  readonly onDelete: () => void;
}) {
  const { organization, isAdmin } = useDashboard();
  const { action, formCount, list, commands } = props;
  const { name, site_id, action_id, position: from } = action;
  const open = () => navigate(paths.action(organization.org_id, site_id, action_id));
  // The commands of a long list are small.
  const variant = list.isLong ? 'inline-link' : 'normal';
  if (!isAdmin) {
    return (
      <Button variant={variant} ariaLabel={`View ${name}`} onClick={open}>
        View
      </Button>
    );
  }
  const placesAfterMoves: Readonly<Record<string, number>> = {
    'Move to the top': 0,
    'Move up': from - 1,
    'Move down': from + 1,
    'Move to the bottom': formCount - 1,
  };
  const whyNoMove = (to: number) => {
    if (!list.isInOrder) return 'Remove the search and the sorting first.';
    if (to < 0 || to === from || to === formCount) return `It is the ${from === 0 ? 'first' : 'last'} form.`;
    return undefined;
  };
  const moves = Object.entries(placesAfterMoves).map(([text, to]) => {
    const disabledReason = whyNoMove(to);
    // Its text is its id.
    return { id: text, text, ...(disabledReason !== undefined && { disabled: true, disabledReason }) };
  });
  const items: ButtonDropdownProps.ItemOrGroup[] = [
    ...(action.trigger === 'Form' && formCount > 1 ? [{ text: 'Order in the widget', items: moves }] : []),
    { id: 'duplicate', text: 'Duplicate', iconName: 'copy', disabled: props.isFull },
    { id: 'delete', text: 'Delete', iconName: 'remove' },
  ];
  return (
    <div className="action-commands">
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
        expandToViewport={list.isTable}
        onItemClick={({ detail }) => {
          const to = placesAfterMoves[detail.id];
          if (detail.id === 'duplicate') navigate(paths.copy(organization.org_id, site_id, action_id));
          else if (detail.id === 'delete') props.onDelete();
          else if (to !== undefined && commands.busy.length === 0) commands.moveTo(action, to);
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

export type ActionCommands = ReturnType<typeof useActionCommands>;

/** The commands on one Action of a list. @param forms the Form Actions of the assistant, in the order of the widget */
export function useActionCommands(
  loadedActions: Loaded<DashboardAnswer<'listActions'>>,
  forms: readonly ActionView[],
  assistant: AssistantView,
  onSaved: (assistant: AssistantView) => void,
) {
  const { api, organization, notify, report } = useDashboard();
  const { org_id } = organization;
  const [busy, setBusy] = useState<readonly string[]>([]);
  const tests = useTest();
  /** The Action whose menu gets the keyboard's focus back after it has moved. */
  const focusNext = useRef<string>(undefined);
  const idsOf = ({ action_id }: ActionView) => ({ org_id, action_id });
  const setActions = (change: (actions: ActionView[]) => ActionView[]) =>
    loadedActions.change((last) => ({ ...last, actions: change(last.actions) }));

  /** Runs work on one Action. When another user has changed or deleted the Action, it loads the list again. */
  const run = async (action: ActionView, work: () => Promise<void>) => {
    const { action_id } = action;
    setBusy((all) => [...all, action_id]);
    try {
      await work();
    } catch (error) {
      report(error);
      const code = errorCodeOf(error);
      if (code === 'stale_version' || code === 'action_not_found') loadedActions.reload();
    } finally {
      setBusy((all) => all.filter((id) => id !== action_id));
    }
  };
  const switchTo = (action: ActionView, enabled: boolean) =>
    run(action, async () => {
      const { version } = action;
      const next = await api('updateAction', idsOf(action), { body: { version, change: { enabled } } });
      setActions((all) => all.map((other) => (other.action_id === next.action_id ? next : other)));
      notify(isolatedTexts`${action.name} is ${enabled ? 'on' : 'off'}.`);
    });
  const moveTo = (action: ActionView, index: number) =>
    run(action, async () => {
      const others = forms.map(({ action_id }) => action_id).filter((id) => id !== action.action_id);
      const form_order = others.toSpliced(index, 0, action.action_id);
      const { site_id, version } = assistant;
      try {
        onSaved(await api('updateAssistant', { org_id, site_id }, { body: { version, change: { form_order } } }));
      } catch (error) {
        // Another user has changed the assistant. The next command moves the form in the current order.
        const current = currentAssistant(error);
        if (current !== undefined) onSaved(current);
        throw error;
      }
      focusNext.current = action.action_id;
      notify(isolatedTexts`${action.name} is form ${`${index + 1}`} of ${`${form_order.length}`} in the widget.`);
    });
  const test = (action: ActionView) =>
    run(action, () =>
      tests.test(action, undefined, (error) => {
        // No dialog shows that the Action was deleted: the list loads again without it.
        if (errorCodeOf(error) === 'action_not_found') throw error;
        return false;
      }),
    );
  const remove = (action: ActionView, onRemoved: () => void) =>
    run(action, async () => {
      await api('deleteAction', idsOf(action), { query: { version: String(action.version) } });
      onRemoved();
      setActions((all) => all.filter(({ action_id }) => action_id !== action.action_id));
      notify(isolatedTexts`${action.name} was deleted.`);
    });
  return { busy, tests, focusNext, switchTo, moveTo, test, remove };
}
