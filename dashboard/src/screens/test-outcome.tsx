import { Alert, Box, ExpandableSection, SpaceBetween } from '@cloudscape-design/components';
import type { TestResult } from '../../../src/contract/dashboard.ts';
import { FAILURES, isUnsent } from '../../../src/contract/delivery-record.ts';
import { ACTION_TESTS_PER_MINUTE } from '../../../src/contract/limits.ts';
import { Dialog } from '../parts/dialogs.tsx';
import { Code, Help, isolatedTexts, OperatorCommand, Status } from '../parts/texts.tsx';
import { describeProblem, sentence } from '../session/problems.ts';
import type { Tested, Tests } from './use-test.ts';

/** Statuses of endpoints that cannot verify a request: 400 and 401 of the spec ("Receivers of Action requests"), and 403 of some frameworks. */
const REFUSED_SIGNATURE: ReadonlySet<number> = new Set([400, 401, 403]);

/** Shows the last test: its request and result, or why it was not sent. @param props.onAgain tests again */
export function TestOutcome({ tests, onAgain }: { readonly tests: Tests; readonly onAgain: (tested: Tested) => void }) {
  const { lastTest } = tests;
  if (lastTest === undefined) return;
  const { action, change } = lastTest;
  const again = {
    children: 'Send again',
    loading: tests.testing,
    loadingText: 'Sending',
    onClick: () => onAgain(lastTest),
  };
  const close = { children: 'Close', variant: 'primary', onClick: tests.close } as const;
  return (
    <Dialog size="large" header={isolatedTexts`Test of ${action.name}`} onClose={tests.close} buttons={[again, close]}>
      {change !== undefined && Object.keys(change).length > 0 && (
        <Box>With the settings on the screen, which are not saved, and the signing secret of the Action.</Box>
      )}
      {'result' in lastTest ? (
        <Result isEvent={action.trigger === 'Event'} actionId={action.action_id} result={lastTest.result} />
      ) : (
        <div role="status">
          <Status type="error">
            {lastTest.nextAt === undefined
              ? `Not sent. ${describeProblem(lastTest.error)}`
              : `Not sent: an organization sends at most ${ACTION_TESTS_PER_MINUTE} tests a minute. The next one is possible at ${clock(lastTest.nextAt)}.`}
          </Status>
        </div>
      )}
    </Dialog>
  );
}

const clock = (at: Date) => new Intl.DateTimeFormat('en', { timeStyle: 'medium' }).format(at);

function Result(props: { readonly isEvent: boolean; readonly actionId: string; readonly result: TestResult }) {
  const { isEvent, actionId, result } = props;
  const { request, status, latency_ms, error } = result;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const indentedBody = indentedJson(request.body);
  const requestLines = [
    `${request.method} ${request.url}`,
    ...headers,
    ...(request.body === null ? [] : ['', request.body]),
  ];
  return (
    <SpaceBetween size="xs">
      <div role="status">
        <Status type={result.success ? 'success' : 'error'}>
          {result.success ? 'Delivered' : 'Failed'}
          {status !== null && `, HTTP status ${status}`}
          {latency_ms !== null && `, ${latency_ms} ms`}
          {error !== null && ` (${error.code})`}
          {`, at ${clock(new Date(result.at))}`}
        </Status>
      </div>
      {error !== null && (
        <Box>
          {FAILURES[error.code].advice} <Box color="text-body-secondary">{sentence(error.message)}</Box>
        </Box>
      )}
      {isEvent && !result.success && (
        <Box>{`The service ${result.retried ? 'would' : 'would not'} try the delivery of a real event again.`}</Box>
      )}
      {!isEvent && result.success && (
        <Box>Your server can tell a test: the id of its conversation begins with test-.</Box>
      )}
      {status !== null && REFUSED_SIGNATURE.has(status) && <SignatureHelp actionId={actionId} />}
      {error !== null && isUnsent(error.code) ? (
        <Box>The service sent nothing.</Box>
      ) : (
        <ExpandableSection
          defaultExpanded
          headerText={status === null ? 'Request (may not have arrived, or not completely)' : 'Request'}
        >
          <Code wrap label="Request" text={requestLines.join('\n')} />
          {indentedBody !== undefined && (
            <ExpandableSection headerText="The body, formatted">
              <Code wrap label="The body, formatted" text={indentedBody} />
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
  );
}

/** Returns a JSON body in lines for reading; undefined when the bytes as sent read the same, or have a number that this browser would change. */
function indentedJson(body: string | null): string | undefined {
  if (body === null) return undefined;
  const value: unknown = JSON.parse(body);
  const text = JSON.stringify(value, null, 2);
  return JSON.stringify(value) !== body || text === body ? undefined : text;
}

function SignatureHelp({ actionId }: { readonly actionId: string }) {
  return (
    <Alert type="info" header="Does the endpoint verify the signature?">
      <SpaceBetween size="xs">
        <Box color="inherit">
          If it does, 401 means that the signature does not match. 400 means that the signature header is missing or
          malformed, or that the timestamp is stale. 403 may come from protection against CSRF or from a firewall in
          front of it. Check that the endpoint
        </Box>
        <ul>
          <li>has the signing secret of this Action, because each Action has its own secret,</li>
          <li>hashes the raw bytes of the body, not parsed and serialized JSON,</li>
          <li>
            compares the hex HMAC-SHA256 of <Box variant="code">{'<t>.<body>'}</Box> with <Box variant="code">v1</Box>{' '}
            of <Box variant="code">X-Service-Signature</Box>, and
          </li>
          <li>has a correct clock, because receivers refuse a request whose time differs by more than five minutes.</li>
        </ul>
        <SecretCommand actionId={actionId} />
      </SpaceBetween>
    </Alert>
  );
}

export function SecretCommand({ actionId }: { readonly actionId: string }) {
  return (
    <SpaceBetween size="xxs">
      <OperatorCommand does="reads the signing secret" command={`action secret ${actionId}`}>
        The dashboard does not show the signing secret. The operator of this service can read it with this command:
      </OperatorCommand>
      <Help page="receiving" about="how an endpoint verifies requests" />
    </SpaceBetween>
  );
}
