import { Alert, Box, Button, Checkbox, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useEffect, useState } from 'react';
import { Code } from './code.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';

/** A new server secret, and the name of its assistant. */
export type Secret = { readonly of: string; readonly value: string };

/** Shows a secret until the user confirms that it is stored. It stays when the user goes back to another screen. */
export function ShownOnce({ secret, onClose }: { readonly secret: Secret; readonly onClose: () => void }) {
  const [stored, setStored] = useState(false);
  const [warned, setWarned] = useState(false);
  useLeaveGuard(!stored);
  useEffect(() => {
    const warn = () => setWarned(true);
    window.addEventListener('popstate', warn);
    return () => window.removeEventListener('popstate', warn);
  }, []);
  const close = () => (stored ? onClose() : setWarned(true));
  return (
    <Modal
      visible
      size="large"
      header="Copy the server secret now"
      closeAriaLabel="Close"
      onDismiss={close}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Box>
          The server secret of {secret.of} is shown only once. The service stores only its hash; afterwards you see the
          last six characters.
        </Box>
        <Code label="Server secret" text={secret.value} />
        <Checkbox
          checked={stored}
          onChange={({ detail }) => {
            setStored(detail.checked);
            setWarned(false);
          }}
        >
          I have stored it where my backend finds it
        </Checkbox>
        {warned && !stored && (
          <Alert type="warning" header="The secret would be lost">
            Store it first and select the checkbox. If you cannot store it now,{' '}
            <Button variant="inline-link" onClick={onClose}>
              close without it
            </Button>{' '}
            and generate a new one later.
          </Alert>
        )}
      </SpaceBetween>
    </Modal>
  );
}
