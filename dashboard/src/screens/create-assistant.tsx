import { Box, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useEffect, useState } from 'react';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { useForm } from '../parts/form.ts';
import { isolatedTexts } from '../parts/texts.tsx';
import { describeProblem } from '../session/problems.ts';
import { GeneralFields, type GeneralValues, generalSettings } from './general.tsx';
import { type Site, WhereItRuns } from './where-it-runs.tsx';

type NewAssistant = { readonly version: number; readonly site_id: string };
const NEW: NewAssistant = { version: 0, site_id: '' };
/** The settings that the service gives a new assistant, besides those of the dialog. */
const DEFAULTS: Pick<Site, 'enabled' | 'authentication_mode' | 'ip_allowlist' | 'server_secret'> = {
  enabled: true,
  authentication_mode: 'Allowed Websites',
  ip_allowlist: [],
  server_secret: null,
};
const blank = (): GeneralValues => ({ name: '', domain: '', hourly_rate_limit: '' });

/** The dialog for a new assistant. It asks for what every assistant needs; the tabs of the assistant have all settings. */
export default function CreateAssistant({ onClose }: { readonly onClose: () => void }) {
  const { api, organization, notify } = useDashboard();
  const { org_id } = organization;
  const [error, setError] = useState<unknown>();
  const form = useForm<NewAssistant, GeneralValues>({
    key: `${org_id}.assistant.new`,
    title: 'New assistant',
    path: paths.newAssistant(org_id),
    entity: NEW,
    pick: blank,
    write: async ({ values, id }) => {
      setError(undefined);
      const body = { idempotency_key: id, assistant: generalSettings(values) };
      return { ...NEW, site_id: (await api('createAssistant', { org_id }, { body })).site_id };
    },
    onSaved: ({ site_id }) => {
      navigate(paths.assistant(org_id, site_id, 'deploy'));
      notify(isolatedTexts`${form.values.name} was created. Set here where it may run.`);
    },
    // Screen readers do not read a message of the page while a dialog is open.
    onFailure: setError,
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
        failure={error === undefined ? undefined : describeProblem(error)}
        create={{ text: 'Create', ready: true }}
        leave={{ text: 'Cancel', onLeave: onClose }}
      >
        <SpaceBetween size="l">
          <GeneralFields form={{ ...form, isReadOnly: form.isSaving }}>
            <WhereItRuns site={{ ...DEFAULTS, domain, allowed_domains: [domain] }} isUnsaved />
          </GeneralFields>
          <Box variant="small">
            The assistant is switched on, uses Allowed Websites, and has the Domain as its only Allowed Domain.
          </Box>
        </SpaceBetween>
      </EditForm>
    </Modal>
  );
}
