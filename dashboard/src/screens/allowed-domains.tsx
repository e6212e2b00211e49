import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import type { FieldProblem } from '../parts/problem.ts';
import { EntryList } from './entry-list.tsx';

type Verdict = { readonly page: string; readonly result: NonNullable<DashboardAnswer<'checkHosts'>['page']> };

/** Allowed Domains, shown as they will be matched, and a way to ask whether a page would be let in. */
export function AllowedDomains(props: {
  readonly entries: readonly string[];
  readonly problem: FieldProblem | undefined;
  readonly onChange: (entries: string[]) => void;
}) {
  const { api, report } = useDashboard();
  const { entries, problem } = props;
  const [page, setPage] = useState('');
  const [verdict, setVerdict] = useState<Verdict>();
  const [checking, setChecking] = useState(false);

  const accept = async (typed: string) => {
    const { entries: checked } = await api('checkHosts', {}, { body: { entries: [typed] } });
    const normalized = checked[0]?.normalized ?? null;
    return normalized === null
      ? { problem: 'Enter a host such as example.com or example.com:8443, without wildcards.' }
      : { entry: normalized };
  };
  const check = async () => {
    if (page.trim() === '') return;
    setChecking(true);
    try {
      const answer = await api('checkHosts', {}, { body: { entries: [...entries], page } });
      if (answer.page !== null) setVerdict({ page, result: answer.page });
    } catch (error) {
      report(error);
    } finally {
      setChecking(false);
    }
  };

  return (
    <SpaceBetween size="l">
      <EntryList
        label="Allowed Domains"
        description="Exactly these hosts. www.example.com is another host than example.com; an entry without a port allows every port."
        placeholder="www.example.com"
        noun="domain"
        entries={entries}
        error={problem?.field === 'allowed_domains' ? problem.text : undefined}
        accept={accept}
        onChange={(changed) => {
          setVerdict(undefined);
          props.onChange(changed);
        }}
      />
      {entries.length === 0 && (
        <Alert type="warning">The list is empty, so every visitor is refused. Add the domain of your website.</Alert>
      )}
      <FormField
        label="Would this page be allowed?"
        description="The address of a page that embeds the widget. Nothing is sent there."
        stretch
      >
        <SpaceBetween size="xs">
          <div className="entry">
            <Input
              value={page}
              placeholder="https://www.example.com/shop"
              onChange={({ detail }) => setPage(detail.value)}
              onKeyDown={(event) => {
                if (event.detail.key !== 'Enter') return;
                event.preventDefault();
                void check();
              }}
            />
            <Button formAction="none" loading={checking} onClick={check}>
              Check page
            </Button>
          </div>
          <div aria-live="polite">{verdict !== undefined && <Answer {...verdict} />}</div>
        </SpaceBetween>
      </FormField>
    </SpaceBetween>
  );
}

function Answer({ page, result }: Verdict) {
  if (result.host === null) return <StatusIndicator type="error">{page} is not the address of a page</StatusIndicator>;
  if (result.matched_by === null) {
    return <StatusIndicator type="error">No: {result.host} is not in the list</StatusIndicator>;
  }
  return <StatusIndicator type="success">Yes, by the entry {result.matched_by}</StatusIndicator>;
}
