import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';

/** Is it installed? What the hourly limit has counted says so, without another record. */
export function Installation({ assistant }: { readonly assistant: AssistantView }) {
  const { api, organization } = useDashboard();
  const ids = { org_id: organization.org_id, site_id: assistant.site_id };
  const installation = useLoad(assistant.site_id, () => api('getInstallation', ids, {}));
  const count = installation.value?.requests_this_hour;
  return (
    <SpaceBetween direction="horizontal" size="xs" alignItems="center">
      <div aria-live="polite">
        {count === undefined ? (
          <StatusIndicator type={installation.failed ? 'warning' : 'loading'}>
            {installation.failed ? 'Not known' : 'Is it installed?'}
          </StatusIndicator>
        ) : (
          <StatusIndicator type={count > 0 ? 'success' : 'pending'}>
            {count > 0
              ? `Installed: ${count} ${count === 1 ? 'request was' : 'requests were'} let in during this clock hour`
              : 'No request was let in during this clock hour'}
          </StatusIndicator>
        )}
      </div>
      <Button variant="inline-link" onClick={installation.reload}>
        Check again
      </Button>
    </SpaceBetween>
  );
}
