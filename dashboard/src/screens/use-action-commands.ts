import { useRef, useState } from 'react';
import type { ActionView, AssistantView, DashboardAnswer, TestResult } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import type { Loaded } from '../parts/use-load.ts';
import { ApiError, currentAssistant } from '../session/api-error.ts';

/** The result of a test, and the Action that was tested. */
export type Tested = { readonly action: ActionView; readonly result: TestResult };

/**
 * The commands on one Action of a list: switch, move, test and delete.
 * @param forms the Form Actions of the assistant, in the order of the widget
 */
export function useActionCommands(
  loaded: Loaded<DashboardAnswer<'listActions'>>,
  forms: readonly ActionView[],
  assistant: AssistantView,
  onSaved: (assistant: AssistantView) => void,
) {
  const { api, organization, notify, report } = useDashboard();
  const { org_id } = organization;
  /** The Actions on which a command runs. */
  const [busy, setBusy] = useState<readonly string[]>([]);
  const [tested, setTested] = useState<Tested>();
  /** The Action whose menu gets the keyboard's focus back after it has moved. */
  const focusNext = useRef<string>(undefined);
  const idsOf = ({ action_id }: ActionView) => ({ org_id, action_id });
  const setActions = (change: (actions: ActionView[]) => ActionView[]) =>
    loaded.change((last) => ({ ...last, actions: change(last.actions) }));

  /** Runs work on one Action. When another user has changed or deleted the Action, it loads the list again. */
  const run = async (action: ActionView, work: () => Promise<void>) => {
    const { action_id } = action;
    setBusy((all) => [...all, action_id]);
    try {
      await work();
    } catch (error) {
      report(error);
      if (error instanceof ApiError && (error.code === 'stale_version' || error.code === 'action_not_found')) {
        loaded.reload();
      }
    } finally {
      setBusy((all) => all.filter((id) => id !== action_id));
    }
  };
  const switchTo = (action: ActionView, enabled: boolean) =>
    run(action, async () => {
      const { version } = action;
      const next = await api('updateAction', idsOf(action), { body: { version, change: { enabled } } });
      setActions((all) => all.map((other) => (other.action_id === next.action_id ? next : other)));
      notify(`${action.name} is ${enabled ? 'on' : 'off'}.`);
    });
  const moveTo = (action: ActionView, index: number) =>
    run(action, async () => {
      const order = forms.map(({ action_id }) => action_id).filter((id) => id !== action.action_id);
      order.splice(index, 0, action.action_id);
      const { site_id, version } = assistant;
      try {
        onSaved(
          await api('updateAssistant', { org_id, site_id }, { body: { version, change: { form_order: order } } }),
        );
      } catch (error) {
        // Another user has changed the assistant. The next command moves the form in the current order.
        const current = currentAssistant(error);
        if (current !== undefined) onSaved(current);
        throw error;
      }
      focusNext.current = action.action_id;
      notify(`${action.name} is form ${index + 1} of ${order.length} in the widget.`);
    });
  const test = (action: ActionView) =>
    run(action, async () => setTested({ action, result: await api('testAction', idsOf(action), {}) }));
  const remove = (action: ActionView, onRemoved: () => void) =>
    run(action, async () => {
      await api('deleteAction', idsOf(action), { query: { version: String(action.version) } });
      onRemoved();
      setActions((all) => all.filter(({ action_id }) => action_id !== action.action_id));
      notify(`${action.name} was deleted.`);
    });
  return { busy, tested, closeTest: () => setTested(undefined), focusNext, switchTo, moveTo, test, remove };
}
