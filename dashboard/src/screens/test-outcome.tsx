import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ActionView, TestResult } from '../../../src/contract/dashboard.ts';
import type { FailureCode } from '../../../src/contract/deliveries.ts';
import { Code } from '../parts/code.tsx';

/** What a failure means for the person who runs the endpoint. */
const ADVICE: Readonly<Record<FailureCode, string>> = {
  invalid_url: 'The URL cannot be called. Correct it.',
  blocked_address: 'The host leads to a private or reserved address. Use an endpoint on the public internet.',
  dns_failure: 'The host name was not found. Check its spelling and its DNS record.',
  connect_failure: 'Nothing accepted the connection. Is the server running, and the port open?',
  tls_failure: 'The TLS certificate was not accepted. It must be valid for this host, with its whole chain.',
  timeout: 'There was no complete answer within 5 seconds. Answer first and work afterwards.',
  connection_closed: 'The server closed the connection before it answered.',
  response_malformed: 'The answer was not valid HTTP.',
  redirect: 'The endpoint redirected. Redirects are not followed: use the final URL.',
  http_status: 'The endpoint answered with an error status. Its log knows more.',
  action_disabled: 'The Action is switched off.',
  organization_suspended: 'The organization is suspended.',
  quota_exceeded: 'The organization has used up its outbound requests of today (UTC). Ask the operator.',
  too_many_in_flight:
    'Too many requests of the organization are waiting for their endpoints. Try again in a few seconds.',
  action_deleted: 'The Action was deleted.',
  payload_too_large: 'The payload was too large to send.',
  internal_error: 'The service failed. Try again.',
};

/** What was sent, and what came of it. */
export function TestOutcome(props: {
  readonly action: ActionView;
  readonly result: TestResult;
  readonly onClose: () => void;
}) {
  const { action, result, onClose } = props;
  const { request, status, latency_ms, error } = result;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const sent = [`${request.method} ${request.url}`, ...headers, ...(request.body === null ? [] : ['', request.body])];
  return (
    <Modal
      visible
      size="large"
      header={`Test of ${action.name}`}
      closeAriaLabel="Close"
      onDismiss={onClose}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <div role="status">
          <StatusIndicator type={result.success ? 'success' : 'error'}>
            {result.success ? 'Accepted' : 'Failed'}
            {status !== null && `, HTTP status ${status}`}
            {latency_ms !== null && `, ${latency_ms} ms`}
            {error !== null && ` (${error.code})`}
          </StatusIndicator>
        </div>
        {error !== null && (
          <Box>
            {ADVICE[error.code]} <Box color="text-body-secondary">{error.message}</Box>
          </Box>
        )}
        <ExpandableSection defaultExpanded headerText="What was sent">
          <Code wrap label="Request" text={sent.join('\n')} />
        </ExpandableSection>
        <ExpandableSection headerText="What came back" defaultExpanded={!result.success}>
          {result.response_excerpt === null || result.response_excerpt === '' ? (
            <Box>No response body.</Box>
          ) : (
            <Code wrap label="Response" text={result.response_excerpt} />
          )}
        </ExpandableSection>
      </SpaceBetween>
    </Modal>
  );
}
