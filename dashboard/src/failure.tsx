import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';

/** Shown when the page cannot even ask who is there. */
export function Failure() {
  return (
    <main>
      <Alert
        type="error"
        header="The login did not work"
        action={<Button onClick={() => window.location.assign('/dashboard/')}>Try again</Button>}
      >
        The dashboard could not reach the login, or the login took too long. Try again; if it stays so, tell the
        operator.
      </Alert>
    </main>
  );
}
