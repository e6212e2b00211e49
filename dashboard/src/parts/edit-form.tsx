import { Alert, Button, Form, type FormProps, SpaceBetween } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { useDashboard } from './context.ts';
import type { EditedForm } from './use-form.ts';

/** A form with the buttons that save and discard its changes, for admins. It says where its values come from, unless they are the saved ones. */
export function EditForm(props: {
  readonly form: Pick<EditedForm<never, never>, 'changed' | 'restored' | 'saving' | 'save' | 'conflict'> & {
    readonly reset: () => void;
  };
  /** The noun for what the form edits. */
  readonly what: string;
  readonly header?: FormProps['header'];
  /** The button that discards the changes and leaves the form. Without it, the form has one that only discards them. */
  readonly leave?: ReactNode;
  readonly saveLabel?: string;
  readonly children: ReactNode;
}) {
  const { isAdmin } = useDashboard();
  const { form, leave } = props;
  const dirty = form.changed.length > 0;
  return (
    <form onSubmit={form.save} noValidate>
      <Form
        header={props.header}
        actions={
          (isAdmin || leave) && (
            <SpaceBetween direction="horizontal" size="xs">
              {leave ?? (
                <Button formAction="none" disabled={!dirty || form.saving} onClick={() => form.reset()}>
                  Discard changes
                </Button>
              )}
              {isAdmin && (
                <Button variant="primary" loading={form.saving} loadingText="Saving" disabled={!dirty}>
                  {props.saveLabel ?? 'Save changes'}
                </Button>
              )}
            </SpaceBetween>
          )
        }
      >
        <SpaceBetween size="m">
          {form.conflict !== undefined ? (
            <ConflictAlert what={props.what} {...form.conflict} />
          ) : (
            form.restored && <RestoredAlert />
          )}
          {props.children}
        </SpaceBetween>
      </Form>
    </form>
  );
}

export function RestoredAlert() {
  return (
    <Alert type="info" header="Your earlier input is in this form again">
      It is not saved yet. Save it or discard it.
    </Alert>
  );
}

/** Shows what another user has saved while this form was open, and lets the user choose. */
function ConflictAlert(props: { readonly what: string } & NonNullable<EditedForm<never, never>['conflict']>) {
  return (
    <Alert
      type="warning"
      header={`Another user changed this ${props.what} while you were editing`}
      action={
        <SpaceBetween direction="horizontal" size="xs">
          <Button formAction="none" onClick={props.takeTheirs}>
            Discard my changes
          </Button>
          <Button formAction="none" onClick={props.keepMine}>
            Keep my changes
          </Button>
        </SpaceBetween>
      }
    >
      Your changes were not saved. These values have changed since you opened this page:
      <ul>
        {props.changes.map(({ label, before, after, yours }) => (
          <li key={label}>
            {label}: {before} → {after}
            {yours !== before && ` (yours: ${yours})`}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
