import { Alert, Button } from '@cloudscape-design/components';

/** Shown when the page cannot start the login. */
export function Failure() {
  return (
    <main>
      <Alert
        type="error"
        header="The login failed"
        action={<Button onClick={() => window.location.assign('/dashboard/')}>Try again</Button>}
      >
        The dashboard could not reach the login, or the login took too long. Try again. If the login fails again,
        contact the operator.
      </Alert>
    </main>
  );
}
