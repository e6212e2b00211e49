import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { HOURLY_RATE_LIMIT_MAX } from '../../../src/contract/limits.ts';
import type { Problems } from './use-problems.ts';

export type GeneralValues = { readonly name: string; readonly domain: string; readonly hourly_rate_limit: string };

/** The fields that a new assistant and the General tab have in common. */
export function GeneralFields(props: {
  readonly values: GeneralValues;
  readonly problems: Problems;
  readonly disabled: boolean;
  readonly onChange: (change: Partial<GeneralValues>) => void;
}) {
  const { values, problems, disabled, onChange } = props;
  const errorOf = (field: keyof GeneralValues) => problems.of(field);
  return (
    <SpaceBetween size="l">
      <FormField label="Name" description="For you and your team; visitors do not see it." errorText={errorOf('name')}>
        <Input
          value={values.name}
          disabled={disabled}
          ariaRequired
          onChange={({ detail }) => onChange({ name: detail.value })}
        />
      </FormField>
      <FormField
        label="Domain"
        description="The one host of the pages that embed the widget. Browsers let the widget talk to the service from there only, whatever else is allowed."
        constraintText="A host such as www.example.com. Other hosts, subdomains too, need an assistant of their own."
        errorText={errorOf('domain')}
      >
        <Input
          value={values.domain}
          disabled={disabled}
          placeholder="www.example.com"
          onChange={({ detail }) => onChange({ domain: detail.value })}
        />
      </FormField>
      <FormField
        label="Rate Limit (requests/hour)"
        description="Widget starts and session creations in one clock hour. Above it they are refused until the next hour."
        errorText={errorOf('hourly_rate_limit') && `Enter a whole number from 1 to ${HOURLY_RATE_LIMIT_MAX}.`}
      >
        <Input
          value={values.hourly_rate_limit}
          disabled={disabled}
          type="number"
          inputMode="numeric"
          ariaRequired
          onChange={({ detail }) => onChange({ hourly_rate_limit: detail.value })}
        />
      </FormField>
    </SpaceBetween>
  );
}

/** The limit as the API takes it; text that is no number goes there as it is, and comes back with a reason. */
export function rateLimit(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
