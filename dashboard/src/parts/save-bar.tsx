import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';

/** The buttons that save and discard changes. */
export function SaveBar(props: {
  readonly dirty: boolean;
  readonly saving: boolean;
  readonly onDiscard: () => void;
  readonly label?: string;
}) {
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Button formAction="none" disabled={!props.dirty || props.saving} onClick={props.onDiscard}>
        Discard changes
      </Button>
      <Button variant="primary" loading={props.saving} loadingText="Saving" disabled={!props.dirty}>
        {props.label ?? 'Save changes'}
      </Button>
    </SpaceBetween>
  );
}

/** Says where the values of a form come from, unless they are the saved ones. */
export function FormNotice(props: { readonly conflict: Conflict | undefined; readonly restored: boolean }) {
  if (props.conflict !== undefined) return <ConflictAlert {...props.conflict} />;
  return (
    props.restored && (
      <Alert type="info" header="Your earlier input is in this form again">
        It is not saved yet. Save it or discard it.
      </Alert>
    )
  );
}

type Conflict = {
  readonly what: string;
  readonly changes: readonly { readonly label: string; readonly before: string; readonly after: string }[];
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
};

/** Shows what another user has saved while this form was open, and lets the user choose. */
function ConflictAlert(props: Conflict) {
  return (
    <Alert
      type="warning"
      header={`Another user changed this ${props.what} while you were editing`}
      action={
        <SpaceBetween direction="horizontal" size="xs">
          <Button formAction="none" onClick={props.onTakeTheirs}>
            Discard my changes
          </Button>
          <Button formAction="none" onClick={props.onKeepMine}>
            Keep my changes
          </Button>
        </SpaceBetween>
      }
    >
      Your changes were not saved. These values have changed since you opened this page:
      <ul>
        {props.changes.map(({ label, before, after }) => (
          <li key={label}>
            {label}: {before} → {after}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
