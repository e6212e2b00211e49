import { Button, SpaceBetween } from '@cloudscape-design/components';
import type { AssistantView, DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import { describeProblem } from '../parts/problem.ts';
import { Status } from '../parts/status.tsx';
import { useLoad } from '../parts/use-load.ts';

/** Shows whether the widget is installed, by the requests that the hourly limit has counted during the last 24 hours. */
export function Installation({ assistant }: { readonly assistant: AssistantView }) {
  const { api, organization } = useDashboard();
  const ids = { org_id: organization.org_id, site_id: assistant.site_id };
  const installation = useLoad(assistant.site_id, () => api('getInstallation', ids, {}));
  return (
    <SpaceBetween direction="horizontal" size="xs" alignItems="center">
      <div aria-live="polite">
        {installation.value !== undefined ? (
          <Counts {...installation.value} />
        ) : installation.error === undefined ? (
          <Status type="loading">Checking whether the widget is installed</Status>
        ) : (
          <Status type="warning">{`Not known. ${describeProblem(installation.error)}`}</Status>
        )}
      </div>
      <Button variant="inline-link" onClick={installation.reload}>
        Check again
      </Button>
    </SpaceBetween>
  );
}

function Counts({ requests_this_hour: hour, requests_last_24_hours: day }: DashboardAnswer<'getInstallation'>) {
  if (day === 0) return <Status type="pending">The service accepted no request during the last 24 hours</Status>;
  return (
    <Status type="success">
      {`Installed: the service accepted ${day} ${day === 1 ? 'request' : 'requests'} during the last 24 hours, ${hour} of them in this clock hour`}
    </Status>
  );
}
