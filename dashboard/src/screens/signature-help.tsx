import { Alert, Box, SpaceBetween } from '@cloudscape-design/components';
import { Code } from '../parts/code.tsx';
import { Help } from '../parts/help.tsx';

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
