import { Box, Button, SpaceBetween, Tabs } from '@cloudscape-design/components';
import type { AssistantView, DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import { useLoad } from '../parts/loading.tsx';
import { Code, Help, Panel, Status } from '../parts/texts.tsx';
import { describeProblem } from '../session/problems.ts';

/** Code for the page, and with Session Signed also for the backend. */
export function Snippets({ assistant }: { readonly assistant: AssistantView }) {
  const base = window.location.origin;
  const isSigned = assistant.authentication_mode === 'Session Signed';
  const attribute = isSigned
    ? 'data-session-token="{{ session_token from your backend }}"'
    : `data-site-id="${assistant.site_id}"`;
  const tag = `<script async src="${base}/static/va-wave-widget.js"\n  ${attribute}></script>`;
  return (
    <SpaceBetween size="m">
      <Panel title="Put the widget into your page" help={<Help page="widget" about="the widget" />}>
        <Box>
          {isSigned
            ? 'Your server renders the page with a token that your backend has minted for the visitor.'
            : 'Put this tag anywhere into the page. The site ID is not a secret.'}
        </Box>
        <Code label="Script tag" text={tag} />
        <Installation assistant={assistant} />
      </Panel>
      {isSigned && (
        <Panel
          title="Renew the token on a page that stays open"
          description="A token expires after 15 minutes unless your backend asks for another lifetime. The page asks your backend for the next one."
        >
          <Code label="Renewal of the token" text={RENEWAL} />
        </Panel>
      )}
      {isSigned && (
        <Panel
          title="Mint session tokens"
          description="Only from your server. VA_WAVE_SERVER_SECRET contains the server secret."
        >
          <Tabs
            ariaLabel="Examples"
            tabs={Object.entries(examples(base)).map(([label, text]) => ({
              id: label,
              label,
              content: <Code label={`Session create in ${label}`} text={text} />,
            }))}
          />
        </Panel>
      )}
    </SpaceBetween>
  );
}

const RENEWAL = `addEventListener('va-wave:token-expired', async () => {
  const response = await fetch('/widget-session', { method: 'POST' });
  if (response.ok) vaWave('setSessionToken', (await response.json()).session_token);
});`;

function examples(base: string): Readonly<Record<string, string>> {
  const url = `${base}/api/widget/session/create`;
  return {
    curl: `curl -X POST ${url} \\
  -H "X-Server-Key: $VA_WAVE_SERVER_SECRET" \\
  -H "Content-Type: application/json" \\
  -d '{"user_id": "'"\${USER_ID:?the id of your user}"'"}'`,
    'Node.js': `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    'X-Server-Key': process.env.VA_WAVE_SERVER_SECRET,
    'Content-Type': 'application/json',
  },
  // The user who is logged in to your website. Without a user_id, every visitor is anonymous.
  body: JSON.stringify({ user_id: currentUser.id, user_name: currentUser.name }),
  signal: AbortSignal.timeout(10_000),
});
if (!response.ok) throw new Error(\`session create: \${response.status}\`);
const { session_token } = await response.json();`,
    Python: `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    # The user who is logged in to your website. Without a user_id, every visitor is anonymous.
    data=json.dumps({"user_id": current_user.id, "user_name": current_user.name}).encode(),
    headers={
        "X-Server-Key": os.environ["VA_WAVE_SERVER_SECRET"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=10) as response:
    session_token = json.load(response)["session_token"]`,
  };
}

/** Shows whether the widget is installed, by the requests that the hourly limit has counted in this clock hour and the 23 before it. */
export function Installation({ assistant }: { readonly assistant: AssistantView }) {
  const { api, organization } = useDashboard();
  const ids = { org_id: organization.org_id, site_id: assistant.site_id };
  const installation = useLoad(assistant.site_id, () => api('getInstallation', ids, {}));
  return (
    <SpaceBetween direction="horizontal" size="xs" alignItems="center">
      <div aria-live="polite">
        {installation.value !== undefined ? (
          <Counts requestCounts={installation.value} assistant={assistant} />
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

function Counts(props: {
  readonly requestCounts: DashboardAnswer<'getInstallation'>;
  readonly assistant: AssistantView;
}) {
  const { requests_this_hour: hour, requests_last_24_hours: day } = props.requestCounts;
  const { hourly_rate_limit: limit, server_secret } = props.assistant;
  if (hour >= limit) {
    return (
      <Status type="error">{`The Rate Limit of ${limit} requests is used up: the widget appears to no further visitor until the next clock hour`}</Status>
    );
  }
  if (day === 0) return <Status type="pending">The service accepted no request during the last 24 hours</Status>;
  const requests = day === 1 ? '1 request' : `${day} requests`;
  const when = `during the last 24 hours, ${hour} of them in this clock hour`;
  // The limit also counts the sessions that a backend with a server secret creates, which say nothing of a page.
  return server_secret === null ? (
    <Status type="success">{`Installed: the service accepted ${requests} ${when}`}</Status>
  ) : (
    <Status type="info">{`The service accepted ${requests} of the widget and of your backend ${when}`}</Status>
  );
}
