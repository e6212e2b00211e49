import { Box, Button } from '@cloudscape-design/components';
import { useState } from 'react';
import { useDashboard, useWork } from '../parts/context.ts';
import { Confirm, useLeaveGuard } from '../parts/dialogs.tsx';
import { Panel } from '../parts/texts.tsx';
import { currentAssistant } from '../session/problems.ts';
import type { AssistantProps } from './assistant-form.ts';

export function ServerSecret({ assistant, onSaved }: AssistantProps) {
  const { api, organization, isAdmin, showSecret } = useDashboard();
  const [isConfirming, setConfirming] = useState(false);
  const [busy, run] = useWork();
  const existingSecret = assistant.server_secret;
  // The answer contains the only copy of the new secret.
  useLeaveGuard(busy);

  const generate = () =>
    run(async () => {
      const ids = { org_id: organization.org_id, site_id: assistant.site_id };
      try {
        const { version } = assistant;
        const answer = await api('generateServerSecret', ids, {
          // Only Session Signed allows a first secret, and it may be selected and not saved yet.
          body: { version, regenerate: existingSecret !== null, authentication_mode: 'Session Signed' },
        });
        showSecret({ assistantName: assistant.name, value: answer.server_secret });
        onSaved(answer.assistant);
      } catch (error) {
        const current = currentAssistant(error);
        if (current !== undefined) onSaved(current);
        throw error;
      } finally {
        setConfirming(false);
      }
    });

  const button = (
    <Button
      loading={busy && existingSecret === null}
      onClick={() => (existingSecret === null ? generate() : setConfirming(true))}
    >
      {existingSecret === null ? 'Generate Server Secret' : 'Regenerate Server Secret'}
    </Button>
  );
  return (
    <Panel
      title="Server secret"
      description="Your backend needs it to mint session tokens. Keep it on your server and never put it into a page."
      actions={isAdmin && button}
    >
      {existingSecret === null ? (
        <Box>There is no server secret yet. Your backend needs one to mint session tokens for this assistant.</Box>
      ) : (
        <Box>
          Active, ends in <Box variant="code">{existingSecret.last_six}</Box>. The full value cannot be shown again.
        </Box>
      )}
      {isConfirming && (
        <Confirm
          header="Regenerate the server secret?"
          confirm="Regenerate and stop the old secret"
          busy={busy}
          onConfirm={generate}
          onCancel={() => setConfirming(false)}
        >
          The secret that ends in {existingSecret?.last_six} stops working at once. Until your backend has the new
          secret, no new visitor gets a session. Existing session tokens stay valid until they expire.
        </Confirm>
      )}
    </Panel>
  );
}
