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

/** Shows what another user has saved while this form was open, and lets the user choose. */
export function ConflictAlert(props: {
  readonly what: string;
  readonly changes: readonly { readonly label: string; readonly before: string; readonly after: string }[];
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
}) {
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
