import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths } from '../navigation.ts';
import { Loading } from '../parts/boundary.tsx';
import { useDashboard } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { ActionForm } from './action-form.tsx';
import { emptyAction } from './action-values.ts';

/** The screen of a new or an existing Action. */
export default function ActionScreen(props: { readonly assistant: AssistantView; readonly actionId: string }) {
  const { assistant, actionId } = props;
  return actionId === 'new' ? (
    <ActionForm assistant={assistant} action={emptyAction} />
  ) : (
    <ExistingAction assistant={assistant} actionId={actionId} />
  );
}

function ExistingAction(props: { readonly assistant: AssistantView; readonly actionId: string }) {
  const { api, organization } = useDashboard();
  const { org_id } = organization;
  const { assistant, actionId } = props;
  const loaded = useLoad(actionId, () => api('getAction', { org_id, action_id: actionId }, {}));
  if (loaded.value !== undefined) return <ActionForm assistant={assistant} action={loaded.value} />;
  if (loaded.failed) {
    return (
      <SpaceBetween direction="horizontal" size="xs">
        <Button onClick={loaded.reload}>Try again</Button>
        <Button onClick={() => navigate(paths.assistant(org_id, assistant.site_id, 'intelligence'))}>
          Back to the Actions
        </Button>
      </SpaceBetween>
    );
  }
  return <Loading what="the Action" />;
}
