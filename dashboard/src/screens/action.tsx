import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths, useParameters } from '../navigation.ts';
import { Loading } from '../parts/boundary.tsx';
import { useDashboard } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { ActionForm } from './action-form.tsx';
import { emptyAction } from './action-values.ts';

/** The screen of a new or an existing Action. `?copy=` names the Action of which a new one is a copy. */
export default function ActionScreen(props: { readonly assistant: AssistantView; readonly actionId: string }) {
  const { assistant, actionId } = props;
  const [parameters] = useParameters();
  const copied = parameters.get('copy');
  return actionId === 'new' && copied === null ? (
    <ActionForm assistant={assistant} action={emptyAction} />
  ) : (
    <LoadedAction assistant={assistant} actionId={copied ?? actionId} isCopied={copied !== null} />
  );
}

function LoadedAction(props: {
  readonly assistant: AssistantView;
  readonly actionId: string;
  readonly isCopied: boolean;
}) {
  const { api, organization } = useDashboard();
  const { org_id } = organization;
  const { assistant, actionId } = props;
  const loaded = useLoad(actionId, () => api('getAction', { org_id, action_id: actionId }, {}));
  if (loaded.value !== undefined) {
    return props.isCopied ? (
      <ActionForm assistant={assistant} action={emptyAction} template={loaded.value} />
    ) : (
      <ActionForm assistant={assistant} action={loaded.value} />
    );
  }
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
