import { Alert, Box, Button, type ButtonProps, Checkbox, Modal, SpaceBetween } from '@cloudscape-design/components';
import { type ReactNode, useEffect, useState } from 'react';
import { onEvent } from '../navigation.ts';
import { NO_CONNECTION } from '../session/problems.ts';
import { useTitle } from './context.ts';
import { Code } from './texts.tsx';

type DialogButton = ButtonProps & { readonly children: string };

/** A dialog with buttons at its end, in their order. @param props.closeLabel names what closing it does */
export function Dialog(props: {
  readonly header: ReactNode;
  readonly size?: 'medium' | 'large';
  readonly closeLabel?: string;
  readonly onClose: () => void;
  readonly buttons: readonly DialogButton[];
  readonly children: ReactNode;
}) {
  const { header, size = 'medium', closeLabel = 'Close' } = props;
  const buttons = (
    <Box float="right">
      <SpaceBetween direction="horizontal" size="xs">
        {props.buttons.map((button) => (
          <Button key={button.children} {...button} />
        ))}
      </SpaceBetween>
    </Box>
  );
  return (
    <Modal visible size={size} header={header} closeAriaLabel={closeLabel} onDismiss={props.onClose} footer={buttons}>
      <SpaceBetween size="m">{props.children}</SpaceBetween>
    </Modal>
  );
}

const RED = { default: '#b0102a', hover: '#8a0d21', active: '#8a0d21', disabled: '#b0102a' };
const WHITE = { default: '#fff', hover: '#fff', active: '#fff', disabled: '#fff' };
const DESTRUCTIVE = { root: { background: RED, borderColor: RED, color: WHITE } };

/** Asks before something that cannot be undone. While it is being done, the dialog cannot be closed, because nothing would be cancelled. */
export function Confirm(props: {
  readonly header: ReactNode;
  readonly confirm: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}) {
  const { header, confirm, busy = false, onConfirm, onCancel } = props;
  const buttons: readonly DialogButton[] = [
    { children: 'Cancel', disabled: busy, onClick: onCancel },
    { children: confirm, variant: 'primary', style: DESTRUCTIVE, loading: busy, onClick: onConfirm },
  ];
  return (
    <Dialog header={header} closeLabel="Cancel" onClose={() => busy || onCancel()} buttons={buttons}>
      <Box>{props.children}</Box>
    </Dialog>
  );
}

/** Asks for a new login. The tab keeps the input, so that it is there again after the login. */
export function SessionEndedDialog({ offline, onLogin }: { readonly offline: boolean; readonly onLogin: () => void }) {
  useTitle('Your session has ended');
  const again: DialogButton = { children: 'Log in again', variant: 'primary', onClick: onLogin };
  return (
    <Dialog header="Your session has ended" closeLabel="Log in again" onClose={onLogin} buttons={[again]}>
      {offline && <Alert type="error">{NO_CONNECTION}</Alert>}
      <Box>Log in again to continue. Your input is kept in this tab.</Box>
    </Dialog>
  );
}

export type Secret = { readonly assistantName: string; readonly value: string };

/** Shows a secret until the user confirms that it is stored. When the user goes back to another screen, it stays, and warns. */
export function ShownOnce({ secret, onClose }: { readonly secret: Secret; readonly onClose: () => void }) {
  const [isStored, setStored] = useState(false);
  const [hasWarning, setWarned] = useState(false);
  useLeaveGuard(!isStored);
  useEffect(() => onEvent(window, 'popstate')(() => setWarned(true)), []);
  const close = () => (isStored ? onClose() : setWarned(true));
  const doneButton: DialogButton = { children: 'Done', variant: 'primary', onClick: close };
  return (
    <Dialog size="large" header="Copy the server secret now" onClose={close} buttons={[doneButton]}>
      <Box>
        The server secret of {secret.assistantName} is shown only once. The service stores only its hash; afterwards you
        see the last six characters.
      </Box>
      <Code label="Server secret" text={secret.value} />
      <Checkbox
        checked={isStored}
        onChange={({ detail }) => {
          setStored(detail.checked);
          setWarned(false);
        }}
      >
        I have stored it where my backend finds it
      </Checkbox>
      {hasWarning && !isStored && (
        <Alert type="warning" header="The secret would be lost">
          Store it first and select the checkbox. If you cannot store it now,{' '}
          <Button variant="inline-link" onClick={onClose}>
            close without it
          </Button>{' '}
          and generate a new one later.
        </Alert>
      )}
    </Dialog>
  );
}

/** While `active`, the browser asks before it reloads, closes or leaves the page. */
export function useLeaveGuard(active: boolean): void {
  useEffect(() => {
    if (active) return onEvent(window, 'beforeunload')((event) => event.preventDefault());
  }, [active]);
}
