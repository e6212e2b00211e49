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

/** Generates, shows once and replaces the server secret. In the browser, only this component has its full value. */
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
          description="Your backend needs it to mint session tokens. Keep it on your server and never put it into a page."
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
        <Box>There is no server secret yet. Your backend needs one to mint session tokens for this assistant.</Box>
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
                  Regenerate and stop the old secret
                </Button>
              </SpaceBetween>
            </Box>
          }
        >
          The secret that ends in {existing?.last_six} stops working at once. Until your backend has the new secret, no
          new visitor gets a session. Existing session tokens stay valid until they expire.
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
        <Box>
          The secret is shown only once. The service stores only its hash; afterwards you see the last six characters.
        </Box>
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
