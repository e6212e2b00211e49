import { Box, Button, ExpandableSection, Modal, SpaceBetween } from '@cloudscape-design/components';
import type { ActionView, TestResult } from '../../../src/contract/dashboard.ts';
import type { FailureCode } from '../../../src/contract/delivery-record.ts';
import { FAILURE_ADVICE } from '../../../src/contract/delivery-record.ts';
import { Code } from '../parts/code.tsx';
import { Status } from '../parts/status.tsx';
import { SignatureHelp } from './signature-help.tsx';

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
export function TestOutcome(props: {
  readonly action: ActionView;
  readonly result: TestResult;
  readonly busy: boolean;
  readonly onAgain: (action: ActionView) => void;
  readonly onClose: () => void;
}) {
  const { action, result, onClose } = props;
  const { request, status, latency_ms, error } = result;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const formatted = indented(request.body);
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
          <SpaceBetween direction="horizontal" size="xs">
            <Button loading={props.busy} loadingText="Sending" onClick={() => props.onAgain(action)}>
              Send again
            </Button>
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
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
      </SpaceBetween>
    </Modal>
  );
}

/** Returns a JSON body in lines for reading; undefined when the bytes as sent read the same. */
function indented(body: string | null): string | undefined {
  const text = body === null ? body : JSON.stringify(JSON.parse(body), null, 2);
  return text === null || text === body ? undefined : text;
}
