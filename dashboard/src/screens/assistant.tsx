import Box from '@cloudscape-design/components/box';
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import Tabs from '@cloudscape-design/components/tabs';
import { lazy, Suspense } from 'react';
import { navigate, type Place, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { ReadOnly } from './assistants.tsx';
import { General } from './general.tsx';

const Deploy = lazy(() => import('./deploy.tsx'));
const Actions = lazy(() => import('./actions.tsx'));
const ActionScreen = lazy(() => import('./action.tsx'));

/** One assistant: tabs General, Deploy and Intelligence. */
export default function Assistant({ site, place }: { readonly site: string; readonly place: Place }) {
  const { api, organization, isAdmin } = useDashboard();
  const { org_id } = organization;
  const loaded = useLoad(site, () => api('getAssistant', { org_id, site_id: site }, {}));
  const assistant = loaded.value;
  if (assistant === undefined) {
    return loaded.failed ? (
      <Button onClick={() => navigate(paths.organization(org_id))}>Back to the assistants</Button>
    ) : (
      <div className="center">
        <Box>
          <Spinner /> Loading the assistant
        </Box>
      </div>
    );
  }
  const trail = [
    { text: 'Assistants', href: paths.organization(org_id) },
    { text: assistant.name, href: paths.assistant(org_id, site) },
    ...(place.action === undefined ? [] : [{ text: 'Action', href: paths.action(org_id, site, place.action) }]),
  ];
  return (
    <SpaceBetween size="m">
      <BreadcrumbGroup
        items={trail}
        ariaLabel="Breadcrumbs"
        onFollow={(event) => {
          event.preventDefault();
          navigate(event.detail.href);
        }}
      />
      {!isAdmin && <ReadOnly />}
      {place.action !== undefined ? (
        <Suspense>
          <ActionScreen key={place.action} assistant={assistant} actionId={place.action} />
        </Suspense>
      ) : (
        <>
          <Header variant="h1" description={`Site ID ${assistant.site_id}`}>
            {assistant.name}
          </Header>
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
                label: 'General',
                content: <General assistant={assistant} onSaved={loaded.set} />,
              },
              {
                id: 'deploy',
                label: 'Deploy',
                content: (
                  <Suspense>
                    <Deploy assistant={assistant} onSaved={loaded.set} />
                  </Suspense>
                ),
              },
              {
                id: 'intelligence',
                label: 'Intelligence',
                content: (
                  <Suspense>
                    <Actions assistant={assistant} onSaved={loaded.set} />
                  </Suspense>
                ),
              },
            ]}
          />
        </>
      )}
    </SpaceBetween>
  );
}
