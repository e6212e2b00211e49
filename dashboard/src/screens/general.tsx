import { FormField, SpaceBetween } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { HOURLY_RATE_LIMIT_MAX } from '../../../src/contract/limits.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { OnOff, TextField } from '../parts/fields.tsx';
import type { Fields } from '../parts/form.ts';
import { Panel } from '../parts/texts.tsx';
import { type AssistantProps, repairedValues, siteOf, useAssistantForm } from './assistant-form.ts';
import { WhereItRuns } from './where-it-runs.tsx';

export function General(props: AssistantProps) {
  const form = useAssistantForm(props, 'General');
  return (
    <EditForm form={form} what="assistant">
      <Panel title="General">
        <FormField
          label="Assistant Status"
          description="When it is off, the service refuses the widget and session creation at once."
        >
          <OnOff form={form}>{form.values.enabled ? 'On' : 'Off'}</OnOff>
        </FormField>
        <GeneralFields form={form}>
          <WhereItRuns
            site={siteOf(form.values)}
            isUnsaved={form.dirty}
            onRepair={form.isReadOnly ? undefined : (repair) => form.change(repairedValues(repair))}
          />
        </GeneralFields>
      </Panel>
    </EditForm>
  );
}

/** The fields of a new assistant, which are also on the General tab. */
export function GeneralFields(props: {
  readonly form: Fields<'name' | 'domain' | 'hourly_rate_limit', string>;
  readonly children: ReactNode;
}) {
  const { form } = props;
  return (
    <SpaceBetween size="l">
      <TextField
        form={form}
        field="name"
        label="Name"
        description="Only for you and your team. Visitors do not see it."
        required
      />
      <TextField
        form={form}
        field="domain"
        label="Domain"
        description="The host of the pages that embed the widget. Browsers allow requests of the widget only from this host."
        constraintText="A host such as www.example.com. Each other host, including subdomains, needs its own assistant."
        placeholder="www.example.com"
      />
      {props.children}
      <TextField
        form={form}
        field="hourly_rate_limit"
        label="Rate Limit (requests/hour)"
        description="Maximum of widget starts and session creations per clock hour. Above it, the service refuses requests until the next hour."
        errorText={form.problems.of('hourly_rate_limit') && `Enter a whole number from 1 to ${HOURLY_RATE_LIMIT_MAX}.`}
        inputMode="numeric"
        required
      />
    </SpaceBetween>
  );
}
