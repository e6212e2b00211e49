import { Alert, Box, Button, Header, Link, SpaceBetween, StatusIndicator } from '@cloudscape-design/components';
import { useState } from 'react';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { paths } from '../navigation.ts';
import { fetched, NotLoaded } from '../parts/boundary.tsx';
import { CopiedId } from '../parts/code.tsx';
import { useDashboard } from '../parts/context.ts';
import { byName, type Column, Items, onOff, useNarrowed } from '../parts/many.tsx';
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
  const { org_id, assistant_limit } = organization;
  useTitle(`Assistants of ${organization.name}`);
  const assistants = useLoad(org_id, () => allAssistants(api, org_id));
  const [creating, setCreating] = useState(false);
  const items = assistants.value?.assistants.toSorted((a, b) => byName(a.name, b.name)) ?? [];
  const create = isAdmin && (
    <Button variant="primary" disabled={items.length >= assistant_limit} onClick={() => setCreating(true)}>
      Create assistant
    </Button>
  );
  const link = (fontSize: 'inherit' | 'heading-m') => (assistant: AssistantView) => (
    <Link fontSize={fontSize} href={paths.assistant(org_id, assistant.site_id)}>
      {assistant.name}
    </Link>
  );
  const status = ({ enabled, domain }: AssistantView) => {
    if (enabled && domain === '') return <StatusIndicator type="warning">On, but no Domain</StatusIndicator>;
    return <StatusIndicator type={enabled ? 'success' : 'stopped'}>{enabled ? 'On' : 'Off'}</StatusIndicator>;
  };
  const columns: readonly Column<AssistantView>[] = [
    {
      id: 'name',
      header: 'Name',
      sortBy: ({ name }) => name,
      isRowHeader: true,
      minWidth: 160,
      cell: link('inherit'),
    },
    {
      id: 'domain',
      header: 'Domain',
      sortBy: ({ domain }) => domain,
      minWidth: 160,
      cell: ({ domain }) => domain || 'Not set',
    },
    { id: 'status', header: 'Status', sortBy: ({ enabled }) => (enabled ? 'on' : 'off'), minWidth: 80, cell: status },
    { id: 'mode', header: 'Authentication', sortBy: mode, minWidth: 140, cell: mode },
    { id: 'site', header: 'Site ID', width: 250, cell: ({ site_id }) => <CopiedId label="Site ID" id={site_id} /> },
  ];
  const list = useNarrowed(items, 'assistants', searched, [onOff('Status')], columns);
  return (
    <SpaceBetween size="m">
      {!isAdmin && <ReadOnly />}
      {assistants.value === undefined ? (
        <NotLoaded loaded={assistants} what="the assistants" />
      ) : (
        <Items
          list={list}
          trackBy="site_id"
          header={
            <Header
              variant="h1"
              counter={list.counter}
              description={`The organization uses ${items.length} of ${assistant_limit} assistants.`}
              actions={create}
            >
              Assistants
            </Header>
          }
          empty={
            <Box textAlign="center">
              <Box variant="strong">No assistants yet</Box>
              <Box variant="p">An assistant is the widget on one of your websites.</Box>
              {create}
            </Box>
          }
          card={{
            header: link('heading-m'),
            sections: columns.slice(1).map(({ id, header, cell }) => ({
              id,
              header,
              content: cell,
              width: id === 'status' || id === 'mode' ? 50 : 100,
            })),
          }}
        />
      )}
      {creating && <CreateAssistant onClose={() => setCreating(false)} />}
    </SpaceBetween>
  );
}

const mode = (assistant: AssistantView) => assistant.authentication_mode;

/** Explains why a member sees no buttons. */
export function ReadOnly() {
  return <Alert type="info">You can see everything here. Only admins of the organization can change it.</Alert>;
}

/** Returns the text of an assistant for the search. */
function searched({ name, domain, site_id }: AssistantView): string {
  return [name, domain, site_id].join('\n');
}
