import { Button, SpaceBetween } from '@cloudscape-design/components';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { readHostEntry } from '../../../src/contract/hosts.ts';
import { normalizedEntry, type SiteVerdict, whereItRuns } from '../../../src/contract/page-check.ts';
import { useDashboard } from '../parts/context.ts';
import { Status } from '../parts/texts.tsx';

/** The settings that decide where the widget of an assistant appears. */
export type Site = Pick<
  AssistantView,
  'domain' | 'enabled' | 'authentication_mode' | 'allowed_domains' | 'ip_allowlist' | 'server_secret'
>;
/** New values of settings that remove a reason why the widget appears on no page. */
export type Repair = Partial<Pick<Site, 'domain' | 'enabled' | 'allowed_domains'>>;

export function useVerdict(): (site: Site) => SiteVerdict {
  const { suspended } = useDashboard().organization;
  return (site) => whereItRuns({ ...site, isSuspended: suspended });
}

/** Says on which addresses the widget appears, or on none and why. @param props.onRepair changes the fields of the form */
export function WhereItRuns(props: {
  readonly site: Site;
  readonly isUnsaved: boolean;
  readonly onRepair?: ((change: Repair) => void) | undefined;
}) {
  const { site, isUnsaved, onRepair } = props;
  const verdict = useVerdict()(site);
  const { hosts, refused_by } = verdict;
  const when = isUnsaved ? 'Once this is saved, the' : 'The';
  const visitors = [
    ...(site.authentication_mode === 'Session Signed' ? [' with a session token'] : []),
    ...(site.ip_allowlist.length > 0 ? [' whose IP address is on the IP allowlist'] : []),
  ];
  const reasons = refused_by.map((setting) => REASONS[setting](site)).join(' ');
  const who = visitors.length > 0 ? ` for visitors${visitors.join(',')}` : '';
  return (
    <div role="status">
      <SpaceBetween size="xs">
        {refused_by.length === 0 ? (
          <Status type="success">{`${when} widget appears on ${hosts.join(', ')}${who}.`}</Status>
        ) : (
          <Status type={isUnsaved ? 'warning' : 'error'}>{`${when} widget appears on no page. ${reasons}`}</Status>
        )}
        {onRepair && (
          <SpaceBetween direction="horizontal" size="xs">
            {repairs(site, verdict).map(({ text, change }) => (
              <Button key={text} formAction="none" onClick={() => onRepair(change)}>
                {text}
              </Button>
            ))}
          </SpaceBetween>
        )}
      </SpaceBetween>
    </div>
  );
}

const REASONS: Readonly<Record<SiteVerdict['refused_by'][number], (site: Site) => string>> = {
  suspended: () => 'The operator has suspended the organization.',
  enabled: () => 'The Assistant Status is off.',
  domain: ({ domain }) => {
    const hostEntry = readHostEntry(domain);
    if (domain.trim() === '') return 'The Domain is empty, so browsers block the widget everywhere.';
    return 'problem' in hostEntry ? `The Domain ${hostEntry.problem}.` : '';
  },
  allowed_domains: ({ domain, allowed_domains }) =>
    allowed_domains.every((entry) => entry.trim() === '')
      ? 'Allowed Domains is empty.'
      : `Browsers allow only pages of the Domain, ${domain.trim()}, and the service only pages of Allowed Domains, where it is not.`,
  server_secret: () =>
    'There is no server secret, so your backend cannot create session tokens. Generate it on the Deploy tab.',
};

/** Returns the changes after which the widget appears, as far as the dashboard knows one for each reason. */
function repairs({ domain, allowed_domains }: Site, { refused_by }: SiteVerdict) {
  const host = normalizedEntry(domain);
  const [allowedHost] = allowed_domains.flatMap((entry) => normalizedEntry(entry) ?? []);
  const possibleRepairs: { readonly text: string; readonly change: Repair }[] = [];
  const isUnlisted = refused_by.includes('allowed_domains');
  if (refused_by.includes('enabled'))
    possibleRepairs.push({ text: 'Switch the assistant on', change: { enabled: true } });
  if (isUnlisted && host !== null)
    possibleRepairs.push({
      text: `Add ${host} to Allowed Domains`,
      change: { allowed_domains: [host, ...allowed_domains] },
    });
  if ((isUnlisted || refused_by.includes('domain')) && allowedHost !== undefined)
    possibleRepairs.push({ text: `Use ${allowedHost} as the Domain`, change: { domain: allowedHost } });
  return possibleRepairs;
}
