import { Alert, Button, Form, type FormProps, SpaceBetween } from '@cloudscape-design/components';
import { type ReactNode, useState } from 'react';
import { describeProblem } from '../session/problems.ts';
import { useDashboard } from './context.ts';
import { Confirm } from './dialogs.tsx';
import type { EditedForm } from './form.ts';
import { isolatedTexts } from './texts.tsx';

type Edited = Pick<
  EditedForm<'action' | 'assistant', object>,
  'dirty' | 'unsaved' | 'isRestored' | 'isSaving' | 'failure' | 'save' | 'trim' | 'reset' | 'conflict'
>;

/** A form with the buttons that save its changes, for admins, and discard them. Above the fields it says that the input is from before the form was opened, or that somebody has saved meanwhile. */
export function EditForm(props: {
  readonly form: Edited;
  readonly what: string;
  readonly header?: FormProps['header'];
  /** Leaves the form. The button asks before it discards changes. Without it, the form has a button that only discards them. */
  readonly leave?: { readonly text: string; readonly onLeave: () => void };
  readonly create?: { readonly text: string; readonly ready: boolean } | undefined;
  readonly children: ReactNode;
}) {
  const { isAdmin } = useDashboard();
  const { form, leave } = props;
  const [isAsking, setAsking] = useState(false);
  const { text, ready } = props.create ?? { text: 'Save changes', ready: form.dirty };
  const buttons = (
    <SpaceBetween direction="horizontal" size="xs">
      {leave === undefined ? (
        <Button formAction="none" disabled={!form.dirty || form.isSaving} onClick={form.reset}>
          Discard changes
        </Button>
      ) : (
        <Button formAction="none" onClick={() => (form.unsaved ? setAsking(true) : leave.onLeave())}>
          {leave.text}
        </Button>
      )}
      {isAdmin && (
        <Button variant="primary" loading={form.isSaving} loadingText="Saving" disabled={!ready}>
          {text}
        </Button>
      )}
    </SpaceBetween>
  );
  return (
    <form onSubmit={form.save} onBlur={form.trim} noValidate>
      <Form
        header={props.header}
        errorText={form.failure !== undefined && describeProblem(form.failure)}
        actions={(isAdmin || leave || form.unsaved) && buttons}
      >
        <SpaceBetween size="m">
          {form.conflict !== undefined && <ConflictAlert what={props.what} {...form.conflict} />}
          {form.conflict === undefined && form.isRestored && (
            <Alert type="info" header="Your earlier input is in this form again">
              {isAdmin
                ? 'It is not saved yet. Save it or discard it.'
                : 'It is not saved, and only an admin can save it.'}
            </Alert>
          )}
          {props.children}
        </SpaceBetween>
      </Form>
      {isAsking && leave !== undefined && (
        <Confirm
          header="Discard your changes?"
          confirm="Discard changes"
          onConfirm={() => {
            form.reset();
            leave.onLeave();
          }}
          onCancel={() => setAsking(false)}
        >
          What you typed here is not saved.
        </Confirm>
      )}
    </form>
  );
}

function ConflictAlert(props: { readonly what: string } & NonNullable<Edited['conflict']>) {
  return (
    <Alert
      type="warning"
      header={
        props.by === 'you'
          ? `You changed this ${props.what} in another tab or window while this form was open`
          : `${props.by ?? 'Another user'} changed this ${props.what} while you were editing`
      }
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
            {isolatedTexts`${label}: ${before} → ${after}`}
            {yours !== before && isolatedTexts` (yours: ${yours})`}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
