import { Box, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useEffect, useState } from 'react';
import { paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { NEW, useForm } from '../parts/form.ts';
import { isolatedTexts } from '../parts/texts.tsx';
import { ASSISTANT_ROWS, type AssistantValues, limitOf, siteOf } from './assistant-form.ts';
import { GeneralFields } from './general.tsx';
import { WhereItRuns } from './where-it-runs.tsx';

/** The dialog for a new assistant. It asks for what every assistant needs; the tabs of the assistant have all settings. */
export default function CreateAssistant({ onClose }: { readonly onClose: () => void }) {
  const { api, organization } = useDashboard();
  const { org_id } = organization;
  const form = useForm<'assistant', AssistantValues>({
    kind: 'assistant',
    place: { key: `${org_id}.assistant.new`, title: 'New assistant', path: paths.newAssistant(org_id) },
    entity: NEW,
    rows: ASSISTANT_ROWS,
    save: async ({ values, id }) => {
      const { name, domain } = values;
      const assistant = { name, domain, hourly_rate_limit: limitOf(values.hourly_rate_limit) };
      const entity = await api('createAssistant', { org_id }, { body: { idempotency_key: id, assistant } });
      return {
        entity,
        message: isolatedTexts`${name} was created. Set here where it may run.`,
        leaveTo: paths.assistant(org_id, entity.site_id, 'deploy'),
      };
    },
    // Screen readers do not read a message of the page while a dialog is open.
    isDialog: true,
  });
  const [hasAppeared, setAppeared] = useState(false);
  // A dialog moves the focus to its Close button when it appears, so the first field takes it afterwards.
  useEffect(() => setAppeared(true), []);
  useEffect(() => {
    if (hasAppeared) document.querySelector<HTMLElement>('[role="dialog"] form input')?.focus();
  }, [hasAppeared]);
  const { domain } = form.values;
  return (
    <Modal visible header="Create assistant" onDismiss={onClose} closeAriaLabel="Close">
      <EditForm
        form={form}
        what="assistant"
        create={{ text: 'Create', ready: true }}
        leave={{ text: 'Cancel', onLeave: onClose }}
      >
        <SpaceBetween size="l">
          <GeneralFields form={{ ...form, isReadOnly: form.isSaving }}>
            <WhereItRuns site={{ ...siteOf(form.values), allowed_domains: [domain] }} isUnsaved />
          </GeneralFields>
          <Box variant="small">
            The assistant is switched on, uses Allowed Websites, and has the Domain as its only Allowed Domain.
          </Box>
        </SpaceBetween>
      </EditForm>
    </Modal>
  );
}
