import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type SubmitEvent, useState } from 'react';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { GeneralFields, type GeneralValues, rateLimit } from '../parts/general-fields.tsx';
import { describeProblem } from '../parts/problem.ts';
import { FormNotice } from '../parts/save-bar.tsx';
import { useEdit } from '../parts/use-edit.ts';
import { useProblems } from '../parts/use-problems.ts';
import { SessionEnded } from '../session/session.ts';

const NEW = { version: 0 };
const blank = (): GeneralValues => ({ name: '', domain: '', hourly_rate_limit: '' });

/** The dialog for a new assistant, with its mandatory settings. Its tabs contain all settings. */
export default function CreateAssistant({ onClose }: { readonly onClose: () => void }) {
  const { api, organization, notify, report } = useDashboard();
  const { org_id } = organization;
  const edit = useEdit(`${org_id}.assistant.new`, NEW, blank);
  const { values } = edit;
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const problems = useProblems(values);

  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    setSaving(true);
    try {
      const assistant = { ...values, hourly_rate_limit: rateLimit(values.hourly_rate_limit) };
      const { site_id } = await api('createAssistant', { org_id }, { body: { idempotency_key: edit.id, assistant } });
      edit.reset();
      notify(`${values.name} was created. Next, set on the Deploy tab where it may run.`);
      navigate(paths.assistant(org_id, site_id, 'deploy'));
    } catch (cause) {
      setError(problems.refuse(cause) ? undefined : cause);
      if (cause instanceof SessionEnded) report(cause);
    } finally {
      setSaving(false);
    }
  };

  return (
    <Modal visible header="Create assistant" onDismiss={onClose} closeAriaLabel="Close">
      <form onSubmit={create} noValidate>
        <Form
          errorText={error === undefined ? undefined : describeProblem(error)}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button
                formAction="none"
                onClick={() => {
                  edit.reset();
                  onClose();
                }}
              >
                Cancel
              </Button>
              <Button variant="primary" loading={saving} loadingText="Creating">
                Create
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="l">
            <FormNotice conflict={undefined} restored={edit.restored} />
            <GeneralFields values={values} problems={problems} disabled={saving} focused onChange={edit.set} />
            <Box variant="small">
              The assistant is switched on, uses Allowed Websites, and has the Domain as its only Allowed Domain.
            </Box>
          </SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
}
