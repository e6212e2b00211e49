import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { Code } from '../parts/code.tsx';
import { useDashboard } from '../parts/context.ts';
import { ApiError } from '../session/api-error.ts';

type Props = { readonly assistant: AssistantView; readonly onSaved: (assistant: AssistantView) => void };

/** The server secret: generated, shown once, replaced. Its full value lives in this component and nowhere else in the browser. */
export function ServerSecret({ assistant, onSaved }: Props) {
  const { api, organization, isAdmin, report } = useDashboard();
  const [confirming, setConfirming] = useState(false);
  const [busy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string>();
  const existing = assistant.server_secret;

  const generate = async () => {
    setBusy(true);
    const ids = { org_id: organization.org_id, site_id: assistant.site_id };
    try {
      const body = { version: assistant.version, regenerate: existing !== null };
      const answer = await api('generateServerSecret', ids, { body });
      setSecret(answer.server_secret);
      onSaved(answer.assistant);
    } catch (error) {
      if (error instanceof ApiError && error.current !== undefined && !('action_id' in error.current)) {
        onSaved(error.current);
      }
      report(error);
    } finally {
      setBusy(false);
      setConfirming(false);
    }
  };

  return (
    <Container
      header={
        <Header
          variant="h2"
          description="With it your backend mints session tokens. It belongs on your server and never into a page."
          actions={
            isAdmin && (
              <Button
                loading={busy && existing === null}
                onClick={() => (existing === null ? generate() : setConfirming(true))}
              >
                {existing === null ? 'Generate Server Secret' : 'Regenerate Server Secret'}
              </Button>
            )
          }
        >
          Server secret
        </Header>
      }
    >
      {existing === null ? (
        <Box>None yet. Without one, nobody can mint session tokens for this assistant.</Box>
      ) : (
        <Box>
          Active, ends in <Box variant="code">{existing.last_six}</Box>. The full value cannot be shown again.
        </Box>
      )}
      {confirming && (
        <Modal
          visible
          header="Regenerate the server secret?"
          closeAriaLabel="Cancel"
          onDismiss={() => setConfirming(false)}
          footer={
            <Box float="right">
              <SpaceBetween direction="horizontal" size="xs">
                <Button onClick={() => setConfirming(false)}>Cancel</Button>
                <Button variant="primary" loading={busy} onClick={generate}>
                  Regenerate, old one stops now
                </Button>
              </SpaceBetween>
            </Box>
          }
        >
          The secret that ends in {existing?.last_six} stops working at once. Until your backend has the new one, no new
          visitor gets a session. Tokens that were minted before stay valid until they expire.
        </Modal>
      )}
      {secret !== undefined && <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />}
    </Container>
  );
}

function ShownOnce({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const [stored, setStored] = useState(false);
  const [warned, setWarned] = useState(false);
  useEffect(() => {
    if (stored) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [stored]);
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
        <Box>It is shown this one time. Only a hash of it is stored; afterwards you see its last six characters.</Box>
        <Code label="Server secret" text={secret} />
        <Checkbox
          checked={stored}
          onChange={({ detail }) => {
            setStored(detail.checked);
            setWarned(false);
          }}
        >
          I have stored it where my backend finds it
        </Checkbox>
        {warned && (
          <Alert type="warning" header="The secret would be lost">
            Store it first and tick the box. If you cannot store it now,{' '}
            <Button variant="inline-link" onClick={onClose}>
              close without it
            </Button>{' '}
            and regenerate one later.
          </Alert>
        )}
      </SpaceBetween>
    </Modal>
  );
}
