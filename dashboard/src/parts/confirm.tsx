import { Box, Button, Modal, SpaceBetween } from '@cloudscape-design/components';
import type { ReactNode } from 'react';

/** Asks before something that cannot be undone. */
export function Confirm(props: {
  readonly header: string;
  /** The text of the button that does it. */
  readonly confirm: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Modal
      visible
      header={props.header}
      closeAriaLabel="Cancel"
      onDismiss={props.onCancel}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={props.onCancel}>Cancel</Button>
            <Button variant="primary" loading={props.busy} onClick={props.onConfirm}>
              {props.confirm}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      {props.children}
    </Modal>
  );
}
