import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ActionView } from '../../../src/contract/dashboard.ts';

/** Asks before an Action is deleted. */
export function DeleteAction(props: {
  readonly action: ActionView;
  readonly busy: boolean;
  readonly onDelete: () => void;
  readonly onClose: () => void;
}) {
  const { action, onClose } = props;
  return (
    <Modal
      visible
      header={`Delete ${action.name}?`}
      closeAriaLabel="Cancel"
      onDismiss={onClose}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" loading={props.busy} onClick={props.onDelete}>
              Delete Action
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      The service sends no more requests to {new URL(action.url).host}, also no retries. The signing secret is deleted
      and cannot be restored. To pause the Action instead, switch it off.
    </Modal>
  );
}
