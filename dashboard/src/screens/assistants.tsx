import { Alert, Button, Header, Link, SpaceBetween } from '@cloudscape-design/components';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { paths, useParameters } from '../navigation.ts';
import { useDashboard, useTitle } from '../parts/context.ts';
import { type Column, compare, Empty, Items, useList } from '../parts/list.tsx';
import { lazyPart, NotLoaded, useLoad } from '../parts/loading.tsx';
import { BreakableText, CopiedId, Status } from '../parts/texts.tsx';
import type { Api } from '../session/api-client.ts';
import { useVerdict } from './where-it-runs.tsx';

const CreateAssistant = lazyPart(() => import('./create-assistant.tsx'));

/** Reads all pages of the list. @returns the assistants, and the ids of those that the service cannot read */
export async function allAssistants(api: Api, org_id: string) {
  const assistants: AssistantView[] = [];
  const unreadable: string[] = [];
  let next: string | null | undefined;
  do {
    const page = await api('listAssistants', { org_id }, next ? { query: { after: next } } : {});
    assistants.push(...page.assistants);
    unreadable.push(...page.unreadable.map(({ site_id }) => site_id));
    next = page.next;
  } while (next !== null);
  return { assistants, unreadable };
}

export default function Assistants() {
  const { api, organization, isAdmin } = useDashboard();
  const { org_id, assistant_limit } = organization;
  useTitle(`Assistants of ${organization.name}`);
  const loadedAssistants = useLoad(org_id, () => allAssistants(api, org_id));
  const { assistants, unreadable } = loadedAssistants.value ?? { assistants: [], unreadable: [] };
  const [parameters, change] = useParameters();
  const verdictOf = useVerdict();
  const items = assistants.toSorted((a, b) => compare(a.name, b.name));
  const usedCount = items.length + unreadable.length;
  const create = isAdmin && (
    <Button variant="primary" disabled={usedCount >= assistant_limit} onClick={() => change({ new: 'assistant' })}>
      Create assistant
    </Button>
  );
  const link = (fontSize: 'inherit' | 'heading-m') => (assistant: AssistantView) => (
    <Link fontSize={fontSize} href={paths.assistant(org_id, assistant.site_id)}>
      <BreakableText text={assistant.name} />
    </Link>
  );
  const state = (assistant: AssistantView) => {
    if (!assistant.enabled) return 'Off';
    return verdictOf(assistant).refused_by.length === 0 ? 'On' : 'On, but on no page';
  };
  const status = (assistant: AssistantView) => {
    const text = state(assistant);
    return <Status type={STATES[text]}>{text}</Status>;
  };
  const byState = { label: 'Status', options: Object.keys(STATES), of: state };
  const columns: readonly Column<AssistantView>[] = [
    {
      id: 'name',
      header: 'Name',
      sortBy: ({ name }) => name,
      isRowHeader: true,
      width: 220,
      minWidth: 160,
      cell: link('inherit'),
    },
    { id: 'domain', header: 'Domain', sortBy: domainOf, minWidth: 160, cell: domainCell },
    { id: 'status', header: 'Status', sortBy: state, minWidth: 110, cell: status },
    { id: 'mode', header: 'Authentication', sortBy: modeOf, minWidth: 140, cell: modeOf },
    { id: 'site', header: 'Site ID', width: 250, cell: ({ site_id }) => <CopiedId label="Site ID" id={site_id} /> },
  ];
  const list = useList(items, 'assistants', searchedText, [byState], columns);
  const header = (
    <Header
      variant="h1"
      counter={list.counter}
      description={`The organization uses ${usedCount} of ${assistant_limit} assistants.`}
      // An empty list has the button in its middle.
      actions={items.length > 0 && create}
    >
      Assistants
    </Header>
  );
  return (
    <SpaceBetween size="m">
      {!isAdmin && <ReadOnly />}
      {unreadable.length > 0 && (
        <Alert type="error" header="Not every assistant can be shown">
          The service cannot read {unreadable.join(', ')} of this organization. Their widgets do not start until the
          operator has corrected this. All other assistants work.
        </Alert>
      )}
      {loadedAssistants.value === undefined ? (
        <NotLoaded loadedData={loadedAssistants} what="the assistants" />
      ) : (
        <Items
          list={list}
          trackBy="site_id"
          header={header}
          empty={
            <Empty title="No assistants yet">
              An assistant is the widget on one of your websites.
              {create}
            </Empty>
          }
          card={{
            header: link('heading-m'),
            sections: columns.slice(1).map(({ id, header, cell }) => ({
              id,
              header,
              content: cell,
              width: list.wide && (id === 'status' || id === 'mode') ? 50 : 100,
            })),
          }}
        />
      )}
      {isAdmin && parameters.get('new') !== null && <CreateAssistant onClose={() => change({ new: '' })} />}
    </SpaceBetween>
  );
}

const STATES = { On: 'success', 'On, but on no page': 'error', Off: 'stopped' } as const;
const domainOf = ({ domain }: AssistantView) => domain;
const domainCell = (item: AssistantView) => <BreakableText text={domainOf(item) || 'Not set'} />;
const modeOf = (assistant: AssistantView) => assistant.authentication_mode;

export function ReadOnly() {
  return <Alert type="info">You can see everything here. Only admins of the organization can change it.</Alert>;
}

const searchedText = ({ name, domain, site_id }: AssistantView) => [name, domain, site_id].join('\n');
