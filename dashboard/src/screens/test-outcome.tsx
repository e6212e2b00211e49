import { Alert, Box, Button, ExpandableSection, SpaceBetween } from '@cloudscape-design/components';
import { FAILURE_ADVICE, type FailureCode } from '../../../src/contract/delivery-record.ts';
import { Dialog } from '../parts/dialogs.tsx';
import { Code, Help, Status } from '../parts/texts.tsx';
import type { ActionCommands, Tested } from './action-commands.tsx';

/** Failures after which the endpoint may have received the request. Before every other one, the service has sent no byte. */
const MAY_BE_SENT: ReadonlySet<FailureCode> = new Set([
  'timeout',
  'connection_closed',
  'response_malformed',
  'redirect',
  'http_status',
  'internal_error',
]);

/** Statuses of endpoints that cannot verify a request (spec "Receivers of Action requests"). */
const REFUSED_SIGNATURE: ReadonlySet<number> = new Set([400, 401, 403]);

/** Shows the test request and its result. */
export function TestOutcome({ action, result, commands }: Tested & { readonly commands: ActionCommands }) {
  const { request, status, latency_ms, error } = result;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const formatted = indented(request.body);
  const sent = [`${request.method} ${request.url}`, ...headers, ...(request.body === null ? [] : ['', request.body])];
  const buttons = [
    <Button key="again" loading={commands.busy.length > 0} loadingText="Sending" onClick={() => commands.test(action)}>
      Send again
    </Button>,
    <Button key="close" variant="primary" onClick={commands.closeTest}>
      Close
    </Button>,
  ];
  return (
    <Dialog size="large" header={`Test of ${action.name}`} onClose={commands.closeTest} buttons={buttons}>
      <div role="status">
        <Status type={result.success ? 'success' : 'error'}>
          {result.success ? 'Delivered' : 'Failed'}
          {status !== null && `, HTTP status ${status}`}
          {latency_ms !== null && `, ${latency_ms} ms`}
          {error !== null && ` (${error.code})`}
        </Status>
      </div>
      {error !== null && (
        <Box>
          {FAILURE_ADVICE[error.code]} <Box color="text-body-secondary">{error.message}</Box>
        </Box>
      )}
      {status !== null && REFUSED_SIGNATURE.has(status) && <SignatureHelp actionId={action.action_id} />}
      {error !== null && !MAY_BE_SENT.has(error.code) ? (
        <Box>The service sent nothing.</Box>
      ) : (
        <ExpandableSection
          defaultExpanded
          headerText={error?.code === 'timeout' && status === null ? 'Request (may be incomplete)' : 'Request'}
        >
          <Code wrap label="Request" text={sent.join('\n')} />
          {formatted !== undefined && (
            <ExpandableSection headerText="The body, formatted">
              <Code wrap label="The body, formatted" text={formatted} />
            </ExpandableSection>
          )}
        </ExpandableSection>
      )}
      {status !== null && (
        <ExpandableSection headerText="Response" defaultExpanded={!result.success}>
          {result.response_excerpt === null || result.response_excerpt === '' ? (
            <Box>No response body.</Box>
          ) : (
            <Code wrap label="Response" text={result.response_excerpt} />
          )}
        </ExpandableSection>
      )}
    </Dialog>
  );
}

/** Returns a JSON body in lines for reading; undefined when the bytes as sent read the same. */
function indented(body: string | null): string | undefined {
  const text = body === null ? body : JSON.stringify(JSON.parse(body), null, 2);
  return text === null || text === body ? undefined : text;
}

/** Helps when an endpoint refuses the signature. */
export function SignatureHelp({ actionId }: { readonly actionId: string }) {
  return (
    <Alert type="info" header="Does the endpoint verify the signature?">
      <SpaceBetween size="xs">
        <Box color="inherit">
          If it does, 401 means that the signature does not match. 400 means that the signature header is missing or
          malformed, or that the timestamp is stale. Check that the endpoint
        </Box>
        <ul>
          <li>has the signing secret of this Action, because each Action has its own secret,</li>
          <li>hashes the raw bytes of the body, not parsed and serialized JSON,</li>
          <li>
            compares the hex HMAC-SHA256 of <Box variant="code">{'<t>.<body>'}</Box> with <Box variant="code">v1</Box>{' '}
            of <Box variant="code">X-Service-Signature</Box>, and
          </li>
          <li>has a correct clock, because receivers refuse a request that is more than five minutes old.</li>
        </ul>
        <SecretCommand actionId={actionId} />
      </SpaceBetween>
    </Alert>
  );
}

/** Shows the command with which the operator reads the signing secret. */
export function SecretCommand({ actionId }: { readonly actionId: string }) {
  return (
    <SpaceBetween size="xxs">
      <Box color="inherit">
        The dashboard does not show the signing secret. The operator of this service can read it with this command:
      </Box>
      <Code wrap label="Command that reads the signing secret" text={`npx va-wave action secret ${actionId}`} />
      <Help page="receiving" about="how an endpoint verifies requests" />
    </SpaceBetween>
  );
}
