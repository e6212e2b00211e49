import { BreadcrumbGroup, Button, Header, SpaceBetween, Tabs } from '@cloudscape-design/components';
import type { AssistantView } from '../../../src/contract/dashboard.ts';
import { navigate, type Place, paths } from '../navigation.ts';
import { useDashboard, useTitle } from '../parts/context.ts';
import { Boundary, lazyPart, NotLoaded, useLoad } from '../parts/loading.tsx';
import { CopiedId } from '../parts/texts.tsx';
import { ReadOnly } from './assistants.tsx';
import { General } from './general.tsx';

const Deploy = lazyPart(() => import('./deploy.tsx'));
const Actions = lazyPart(() => import('./actions.tsx'));
const ActionScreen = lazyPart(() => import('./action.tsx'));

const TABS = {
  general: { label: 'General', Content: General },
  deploy: { label: 'Deploy', Content: Deploy },
  intelligence: { label: 'Intelligence', Content: Actions },
};

export default function Assistant({ site, place }: { readonly site: string; readonly place: Place }) {
  const { api, organization, isAdmin } = useDashboard();
  const { org_id } = organization;
  const loadedAssistant = useLoad(site, () => api('getAssistant', { org_id, site_id: site }, {}));
  const assistant = loadedAssistant.value;
  const onSaved = (saved: AssistantView) => loadedAssistant.change(() => saved);
  useTitle(`${place.action === undefined ? TABS[place.tab].label : 'Action'}, ${assistant?.name ?? 'assistant'}`);
  if (assistant === undefined) {
    return (
      <NotLoaded loadedData={loadedAssistant} what="the assistant">
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
          <Tabs
            ariaLabel={`Settings of ${assistant.name}`}
            activeTabId={place.tab}
            onChange={({ detail }) => navigate(paths.assistant(org_id, site, detail.activeTabId))}
            tabs={Object.entries(TABS).map(([id, { label, Content }]) => ({
              id,
              label,
              content: (
                <Boundary>
                  <Content assistant={assistant} onSaved={onSaved} />
                </Boundary>
              ),
            }))}
          />
        </>
      )}
    </SpaceBetween>
  );
}
