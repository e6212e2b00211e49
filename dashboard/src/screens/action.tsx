import { Button } from '@cloudscape-design/components';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths, useParameters } from '../navigation.ts';
import { NotLoaded } from '../parts/boundary.tsx';
import { useDashboard } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { ActionForm } from './action-form.tsx';
import { type EditedAction, emptyAction, isStored } from './action-values.ts';

/** The screen of a new or an existing Action. `?copy=` names the Action of which a new one is a copy. */
export default function ActionScreen(props: { readonly assistant: AssistantView; readonly actionId: string }) {
  const { api, organization } = useDashboard();
  const { org_id } = organization;
  const { assistant } = props;
  const [parameters] = useParameters();
  const copied = parameters.get('copy');
  const action_id = copied ?? props.actionId;
  const loaded = useLoad<EditedAction>(action_id, async () =>
    action_id === 'new' ? emptyAction : api('getAction', { org_id, action_id }, {}),
  );
  const action = loaded.value;
  if (action === undefined) {
    return (
      <NotLoaded loaded={loaded} what="the Action">
        <Button onClick={() => navigate(paths.assistant(org_id, assistant.site_id, 'intelligence'))}>
          Back to the Actions
        </Button>
      </NotLoaded>
    );
  }
  return copied !== null && isStored(action) ? (
    <ActionForm assistant={assistant} action={emptyAction} template={action} />
  ) : (
    <ActionForm assistant={assistant} action={action} />
  );
}
