import { Alert, BreadcrumbGroup, Button, Header, SpaceBetween, Tabs } from '@cloudscape-design/components';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, type Place, paths } from '../navigation.ts';
import { Boundary, fetched, NotLoaded } from '../parts/boundary.tsx';
import { CopiedId } from '../parts/code.tsx';
import { useDashboard } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { useTitle } from '../parts/use-title.ts';
import { ReadOnly } from './assistants.tsx';
import { General } from './general.tsx';

const Deploy = fetched(() => import('./deploy.tsx'));
const Actions = fetched(() => import('./actions.tsx'));
const ActionScreen = fetched(() => import('./action.tsx'));

const TABS = { general: 'General', deploy: 'Deploy', intelligence: 'Intelligence' } as const;

/** The screen of an assistant with the tabs General, Deploy and Intelligence. */
export default function Assistant({ site, place }: { readonly site: string; readonly place: Place }) {
  const { api, organization, isAdmin } = useDashboard();
  const { org_id } = organization;
  const loaded = useLoad(site, () => api('getAssistant', { org_id, site_id: site }, {}));
  const assistant = loaded.value;
  const onSaved = (saved: AssistantView) => loaded.change(() => saved);
  useTitle(`${place.action === undefined ? TABS[place.tab] : 'Action'}, ${assistant?.name ?? 'assistant'}`);
  if (assistant === undefined) {
    return (
      <NotLoaded loaded={loaded} what="the assistant">
        <Button onClick={() => navigate(paths.organization(org_id))}>Back to the assistants</Button>
      </NotLoaded>
    );
  }
  const trail = [
    { text: 'Assistants', href: paths.organization(org_id) },
    { text: assistant.name, href: paths.assistant(org_id, site) },
    ...(place.action === undefined ? [] : [{ text: 'Action', href: paths.action(org_id, site, place.action) }]),
  ];
  return (
    <SpaceBetween size="m">
      <BreadcrumbGroup items={trail} ariaLabel="Breadcrumbs" />
      {!isAdmin && <ReadOnly />}
      {place.action !== undefined ? (
        <ActionScreen key={place.action} assistant={assistant} actionId={place.action} />
      ) : (
        <>
          <Header
            variant="h1"
            description={
              <>
                Site ID <CopiedId label="Site ID" id={site} />
              </>
            }
          >
            {assistant.name}
          </Header>
          {assistant.domain === '' && place.tab !== 'intelligence' && (
            <Alert type="warning" header="The widget appears on no page">
              The Domain on the General tab is empty, so browsers block the widget everywhere.
            </Alert>
          )}
          <Tabs
            ariaLabel={`Settings of ${assistant.name}`}
            activeTabId={place.tab}
            onChange={({ detail }) => {
              const tab = detail.activeTabId;
              navigate(paths.assistant(org_id, site, tab === 'deploy' || tab === 'intelligence' ? tab : 'general'));
            }}
            tabs={[
              {
                id: 'general',
                label: TABS.general,
                content: (
                  <Boundary>
                    <General assistant={assistant} onSaved={onSaved} />
                  </Boundary>
                ),
              },
              {
                id: 'deploy',
                label: TABS.deploy,
                content: <Deploy assistant={assistant} onSaved={onSaved} />,
              },
              {
                id: 'intelligence',
                label: TABS.intelligence,
                content: <Actions assistant={assistant} onSaved={onSaved} />,
              },
            ]}
          />
        </>
      )}
    </SpaceBetween>
  );
}
