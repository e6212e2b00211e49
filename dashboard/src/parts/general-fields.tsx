import { FormField, Input, type InputProps, SpaceBetween } from '@cloudscape-design/components';
import { useEffect, useRef, useState } from 'react';
import { HOURLY_RATE_LIMIT_MAX } from '../../../src/contract/limits.ts';
import type { Problems } from './use-problems.ts';

export type GeneralValues = { readonly name: string; readonly domain: string; readonly hourly_rate_limit: string };

/** The fields of a new assistant, which are also on the General tab. */
export function GeneralFields(props: {
  readonly values: GeneralValues;
  readonly problems: Problems;
  readonly disabled: boolean;
  /** Whether the first field gets the focus when the fields appear. */
  readonly focused?: boolean;
  readonly onChange: (change: Partial<GeneralValues>) => void;
}) {
  const { values, problems, disabled, onChange } = props;
  const name = useRef<InputProps.Ref>(null);
  const [appeared, setAppeared] = useState(false);
  // A dialog moves the focus to its Close button when it appears, so the field takes it afterwards.
  useEffect(() => setAppeared(true), []);
  useEffect(() => {
    if (appeared && props.focused === true) name.current?.focus();
  }, [appeared, props.focused]);
  const errorOf = (field: keyof GeneralValues) => problems.of(field);
  return (
    <SpaceBetween size="l">
      <FormField
        label="Name"
        description="Only for you and your team. Visitors do not see it."
        errorText={errorOf('name')}
      >
        <Input
          ref={name}
          value={values.name}
          disabled={disabled}
          ariaRequired
          onChange={({ detail }) => onChange({ name: detail.value })}
        />
      </FormField>
      <FormField
        label="Domain"
        description="The host of the pages that embed the widget. Browsers allow requests of the widget only from this host."
        constraintText="A host such as www.example.com. Each other host, including subdomains, needs its own assistant."
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
        description="Maximum of widget starts and session creations per clock hour. Above it, the service refuses requests until the next hour."
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

/** Returns the limit for the API. A text that is not a number becomes NaN, and the API refuses it with a reason. */
export function rateLimit(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
