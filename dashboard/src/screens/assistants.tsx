import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Cards from '@cloudscape-design/components/cards';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, paths } from '../navigation.ts';
import { fetched } from '../parts/boundary.tsx';
import { useDashboard } from '../parts/context.ts';
import { byName, type Column, useNarrowed } from '../parts/many.tsx';
import { useLoad } from '../parts/use-load.ts';
import { useTitle } from '../parts/use-title.ts';
import type { Api } from '../session/api.ts';

const CreateAssistant = fetched(() => import('./create-assistant.tsx'));

/** Reads all pages of the list. */
export async function allAssistants(
  api: Api,
  org_id: string,
): Promise<{ readonly assistants: readonly AssistantView[] }> {
  const assistants: AssistantView[] = [];
  let query: { readonly after: string } | undefined;
  do {
    const page = await api('listAssistants', { org_id }, query === undefined ? {} : { query });
    assistants.push(...page.assistants);
    query = page.next === null ? undefined : { after: page.next };
  } while (query !== undefined);
  return { assistants };
}

/** The assistants of the organization. */
export default function Assistants() {
  const { api, organization, isAdmin } = useDashboard();
  const { org_id } = organization;
  useTitle(`Assistants of ${organization.name}`);
  const assistants = useLoad(org_id, () => allAssistants(api, org_id));
  const [creating, setCreating] = useState(false);
  const create = isAdmin && (
    <Button variant="primary" onClick={() => setCreating(true)}>
      Create assistant
    </Button>
  );
  const items = assistants.value?.assistants.toSorted((a, b) => byName(a.name, b.name)) ?? [];
  const link = (fontSize: 'inherit' | 'heading-m') => (assistant: AssistantView) => (
    <Link
      fontSize={fontSize}
      href={paths.assistant(org_id, assistant.site_id)}
      onFollow={(event) => {
        event.preventDefault();
        navigate(paths.assistant(org_id, assistant.site_id));
      }}
    >
      {assistant.name}
    </Link>
  );
  const status = ({ enabled, domain }: AssistantView) => {
    if (enabled && domain === '') return <StatusIndicator type="warning">On, but no Domain</StatusIndicator>;
    return <StatusIndicator type={enabled ? 'success' : 'stopped'}>{enabled ? 'On' : 'Off'}</StatusIndicator>;
  };
  const columns: readonly Column<AssistantView>[] = [
    { id: 'name', header: 'Name', ...sortedBy.name, isRowHeader: true, minWidth: 160, cell: link('inherit') },
    { id: 'status', header: 'Status', ...sortedBy.status, minWidth: 80, cell: status },
    {
      id: 'mode',
      header: 'Authentication',
      ...sortedBy.mode,
      minWidth: 140,
      cell: (assistant) => assistant.authentication_mode,
    },
    { id: 'domain', header: 'Domain', ...sortedBy.domain, minWidth: 160, cell: domain },
    { id: 'site', header: 'Site ID', minWidth: 220, cell: ({ site_id }) => <Box variant="code">{site_id}</Box> },
  ];
  const list = useNarrowed(items, 'assistants', searched, CHOICES, columns);
  const header = (
    <Header variant="h1" counter={assistants.value && list.counter} actions={create}>
      Assistants
    </Header>
  );
  return (
    <SpaceBetween size="m">
      {!isAdmin && <ReadOnly />}
      {list.rows ? (
        <Table<AssistantView>
          header={header}
          filter={list.filter}
          items={list.shown}
          trackBy="site_id"
          wrapLines
          contentDensity="compact"
          ariaLabels={{ tableLabel: 'Assistants' }}
          empty={list.none}
          columnDefinitions={columns}
          {...list.sorting}
        />
      ) : (
        <Cards<AssistantView>
          header={header}
          filter={list.filter}
          items={list.shown}
          trackBy="site_id"
          loading={assistants.value === undefined && !assistants.failed}
          loadingText="Loading assistants"
          empty={
            list.narrowed ? (
              list.none
            ) : assistants.failed ? (
              <Button onClick={assistants.reload}>Try again</Button>
            ) : (
              <Box textAlign="center">
                <Box variant="strong">No assistants yet</Box>
                <Box variant="p">An assistant is the widget on one of your websites.</Box>
                {create}
              </Box>
            )
          }
          cardDefinition={{
            header: link('heading-m'),
            sections: [
              {
                id: 'status',
                header: 'Status',
                width: 50,
                content: status,
              },
              {
                id: 'mode',
                header: 'Authentication',
                width: 50,
                content: (assistant) => assistant.authentication_mode,
              },
              { id: 'domain', header: 'Domain', width: 50, content: domain },
              {
                id: 'site',
                header: 'Site ID',
                width: 50,
                content: ({ site_id }) => <Box variant="code">{site_id}</Box>,
              },
            ],
          }}
        />
      )}
      {creating && <CreateAssistant onClose={() => setCreating(false)} />}
    </SpaceBetween>
  );
}

const domain = (assistant: AssistantView) => assistant.domain || 'Not set';

const by = (textOf: (assistant: AssistantView) => string) => ({
  sortingComparator: (a: AssistantView, b: AssistantView) => byName(textOf(a), textOf(b)),
});
const sortedBy = {
  name: by(({ name }) => name),
  status: by(({ enabled }) => (enabled ? 'on' : 'off')),
  mode: by((assistant) => assistant.authentication_mode),
  domain: by((assistant) => assistant.domain),
};

/** Explains why a member sees no buttons. */
export function ReadOnly() {
  return <Alert type="info">You can see everything here. Only admins of the organization can change it.</Alert>;
}

/** Returns the text of an assistant for the search. */
function searched({ name, domain, site_id }: AssistantView): string {
  return [name, domain, site_id].join('\n');
}

const CHOICES = [
  {
    label: 'Status',
    options: [
      { label: 'On', fits: ({ enabled }: AssistantView) => enabled },
      { label: 'Off', fits: ({ enabled }: AssistantView) => !enabled },
    ],
  },
];
