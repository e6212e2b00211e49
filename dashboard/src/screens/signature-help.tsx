import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Code } from '../parts/code.tsx';

/** What to look at when an endpoint does not take the signature. */
export function SignatureHelp({ actionId }: { readonly actionId: string }) {
  return (
    <Alert type="info" header="Does the endpoint verify the signature?">
      <SpaceBetween size="xs">
        <Box color="inherit">
          Then 401 says that the signature does not match, and 400 that its header is missing or too old. Check that the
          endpoint
        </Box>
        <ul>
          <li>has the signing secret of this Action, since every Action has its own,</li>
          <li>hashes the raw bytes of the body, not JSON that it has parsed and written again,</li>
          <li>
            compares the HMAC-SHA256 of <Box variant="code">{'<t>.<body>'}</Box>, in hex, with{' '}
            <Box variant="code">v1</Box> of <Box variant="code">X-Service-Signature</Box>, and
          </li>
          <li>has a clock that is right: a request that is five minutes old is refused.</li>
        </ul>
        <SecretCommand actionId={actionId} />
      </SpaceBetween>
    </Alert>
  );
}

/** Who can read a signing secret, and how. */
export function SecretCommand({ actionId }: { readonly actionId: string }) {
  return (
    <SpaceBetween size="xxs">
      <Box color="inherit">
        The signing secret is not shown in the dashboard. The operator of this service reads it for you with
      </Box>
      <Code wrap label="Command that reads the signing secret" text={`npx va-wave action secret ${actionId}`} />
    </SpaceBetween>
  );
}
