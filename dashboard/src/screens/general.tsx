import { FormField, SpaceBetween } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { HOURLY_RATE_LIMIT_MAX } from '../../../src/contract/limits.ts';
import { EditForm } from '../parts/edit-form.tsx';
import { OnOff, TextField } from '../parts/fields.tsx';
import type { Fields } from '../parts/form.ts';
import { Panel } from '../parts/texts.tsx';
import { type AssistantProps, useAssistantForm } from './assistant-form.ts';
import { WhereItRuns } from './where-it-runs.tsx';

export type GeneralValues = Readonly<Record<'name' | 'domain' | 'hourly_rate_limit', string>>;

/** Allowed Domains are on the Deploy tab. They are here for the repair that adds a new Domain to them, so that both are saved at once. */
const pick = ({ name, domain, enabled, allowed_domains, hourly_rate_limit }: AssistantView) => ({
  name,
  domain,
  enabled,
  allowed_domains,
  hourly_rate_limit: String(hourly_rate_limit),
});

/** Returns the values for the API, which refuses a limit that is not written in digits (NaN): 0x10 and 1e3 are numbers of programs. */
export function generalSettings<V extends GeneralValues>(values: V) {
  const limit = values.hourly_rate_limit;
  return { ...values, hourly_rate_limit: /^\d+$/.test(limit) ? Number(limit) : Number.NaN };
}

/** The General tab: Name, Domain, Assistant Status and Rate Limit. */
export function General(props: AssistantProps) {
  const form = useAssistantForm({ ...props, tab: 'general', pick, toApi: generalSettings });
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
            site={{ ...props.assistant, ...form.values }}
            isUnsaved={form.dirty}
            onRepair={form.isReadOnly ? undefined : form.change}
          />
        </GeneralFields>
      </Panel>
    </EditForm>
  );
}

/** The fields of a new assistant, which are also on the General tab. */
export function GeneralFields(props: {
  readonly form: Fields<keyof GeneralValues, string>;
  /** Where the widget appears with this Domain. */
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
