import Alert from '@cloudscape-design/components/alert';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useDashboard } from '../parts/context.ts';
import type { Problems } from '../parts/use-problems.ts';
import { EntryList } from './entry-list.tsx';

/** The list of Allowed Domains in their normalized form. */
export function AllowedDomains(props: {
  /** The saved Domain of the General tab. */
  readonly domain: string;
  readonly entries: readonly string[];
  readonly problems: Problems;
  readonly onChange: (entries: string[]) => void;
}) {
  const { api } = useDashboard();
  const { domain, entries, problems } = props;

  const accept = async (typed: string) => {
    const { entries: checked } = await api('checkHosts', {}, { body: { entries: [typed] } });
    const normalized = checked[0]?.normalized ?? null;
    return normalized === null
      ? { problem: 'Enter a host such as example.com or example.com:8443, without wildcards.' }
      : { entry: normalized };
  };
  return (
    <SpaceBetween size="l">
      <EntryList
        label="Allowed Domains"
        description={`The service accepts exactly these hosts. Browsers also require the Domain of the General tab: they allow requests of the widget only from ${domain || 'that host'}. www.example.com and example.com are different hosts. An entry without a port allows every port.`}
        placeholder={domain || 'www.example.com'}
        noun="domain"
        entries={entries}
        field="allowed_domains"
        problems={problems}
        accept={accept}
        onChange={props.onChange}
      />
      {entries.length === 0 && (
        <Alert type="warning">
          The list is empty, so the service refuses every visitor. Add the host of your website.
        </Alert>
      )}
    </SpaceBetween>
  );
}
