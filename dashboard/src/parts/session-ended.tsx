import { Box, Button, Modal } from '@cloudscape-design/components';

/** Asks for a new login. The tab keeps the input, so that it is there again after the login. */
export function SessionEndedModal({ onLogin }: { readonly onLogin: () => void }) {
  return (
    <Modal
      visible
      header="Your session has ended"
      onDismiss={onLogin}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={onLogin}>
            Log in again
          </Button>
        </Box>
      }
    >
      Log in again to continue. Your input is kept in this tab.
    </Modal>
  );
}
