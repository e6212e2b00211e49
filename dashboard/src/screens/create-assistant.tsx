import { Box, Button, Form, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { RestoredAlert } from '../parts/edit-form.tsx';
import { GeneralFields, type GeneralValues, rateLimit } from '../parts/general-fields.tsx';
import { describeProblem } from '../parts/problem.ts';
import { useForm } from '../parts/use-form.ts';
import { SessionEnded } from '../session/session.ts';

const NEW = { version: 0 };
const blank = (): GeneralValues => ({ name: '', domain: '', hourly_rate_limit: '' });

/** The dialog for a new assistant, with its mandatory settings. Its tabs contain all settings. */
export default function CreateAssistant({ onClose }: { readonly onClose: () => void }) {
  const { api, organization, notify, report } = useDashboard();
  const { org_id } = organization;
  const [error, setError] = useState<unknown>();
  const form = useForm({
    key: `${org_id}.assistant.new`,
    entity: NEW,
    pick: blank,
    write: async ({ values, id, reset }) => {
      setError(undefined);
      const assistant = { ...values, hourly_rate_limit: rateLimit(values.hourly_rate_limit) };
      const { site_id } = await api('createAssistant', { org_id }, { body: { idempotency_key: id, assistant } });
      reset();
      navigate(paths.assistant(org_id, site_id, 'deploy'));
      notify(`${values.name} was created. Set here where it may run.`);
    },
    // Screen readers do not read a message of the page while a dialog is open.
    onFailure: (cause) => (cause instanceof SessionEnded ? report(cause) : setError(cause)),
  });

  return (
    <Modal visible header="Create assistant" onDismiss={onClose} closeAriaLabel="Close">
      <form onSubmit={form.save} noValidate>
        <Form
          errorText={error === undefined ? undefined : describeProblem(error)}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button
                formAction="none"
                onClick={() => {
                  form.reset();
                  onClose();
                }}
              >
                Cancel
              </Button>
              <Button variant="primary" loading={form.saving} loadingText="Creating">
                Create
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="l">
            {form.restored && <RestoredAlert />}
            <GeneralFields
              values={form.values}
              problems={form.problems}
              disabled={form.saving}
              focused
              onChange={form.set}
            />
            <Box variant="small">
              The assistant is switched on, uses Allowed Websites, and has the Domain as its only Allowed Domain.
            </Box>
          </SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
}
