import { Box, Button, Header, Link, Table } from '@cloudscape-design/components';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import type { AuditOperation } from '../../../src/contract/organizations.ts';
import { paths } from '../navigation.ts';
import { useDashboard, useTitle, useWork } from '../parts/context.ts';
import { NotLoaded, useLoad } from '../parts/loading.tsx';
import { Time } from '../parts/texts.tsx';
import { LABELS as ACTION_LABELS } from './action-form.ts';
import { LABELS as ASSISTANT_LABELS } from './assistant-form.ts';
import { allAssistants } from './assistants.tsx';

type Trail = DashboardAnswer<'listAudit'>;
type Change = Trail['records'][number];

const OPERATIONS: Readonly<Record<AuditOperation, string>> = {
  create_assistant: 'Created the assistant',
  update_assistant: 'Changed the assistant',
  generate_server_secret: 'Generated a server secret for the assistant',
  create_action: 'Created the Action',
  update_action: 'Changed the Action',
  delete_action: 'Deleted the Action',
  erase_person: "Erased a person's data in the organization",
};
const operations = new Map(Object.entries(OPERATIONS));

/** The changes to the configuration of the organization, page by page. */
export default function AuditTrail() {
  const { api, organization } = useDashboard();
  const { org_id, name } = organization;
  useTitle(`Audit trail of ${name}`);
  const loaded = useLoad<Trail>(org_id, () => api('listAudit', { org_id }, {}));
  const names = useLoad(org_id, async () => {
    const [assistants, { actions }] = await Promise.all([
      allAssistants(api, org_id),
      api('listActions', { org_id }, {}),
    ]);
    return new Map([
      ...assistants.map(({ site_id, name }) => [site_id, name] as const),
      ...actions.map(({ action_id, name }) => [action_id, name] as const),
    ]);
  });
  const [adding, add] = useWork();
  if (loaded.value === undefined) return <NotLoaded loaded={loaded} what="the audit trail" />;
  const { records, next: after } = loaded.value;
  const showEarlier = () =>
    add(async () => {
      if (after === null) return;
      const earlier = await api('listAudit', { org_id }, { query: { after } });
      loaded.change((last) => ({ ...earlier, records: [...last.records, ...earlier.records] }));
    });

  const entity = ({ site_id, entity_id }: Change) => {
    const known = names.value?.get(entity_id);
    if (known === undefined) return <Box variant="code">{entity_id}</Box>;
    const path = entity_id === site_id ? paths.assistant(org_id, site_id) : paths.action(org_id, site_id, entity_id);
    return <Link href={path}>{known}</Link>;
  };
  return (
    <Table<Change>
      header={
        <Header
          variant="h1"
          description="Changes that admins made in the dashboard, and erasures by the operator, the newest first. It has the names of the changed settings, never their values."
        >
          Audit trail
        </Header>
      }
      items={records}
      wrapLines
      contentDensity="compact"
      empty={<Box variant="strong">No changes yet</Box>}
      ariaLabels={{ tableLabel: 'Changes' }}
      columnDefinitions={[
        { id: 'at', header: 'Time', width: 130, cell: ({ at }) => <Time at={at} /> },
        {
          id: 'change',
          header: 'Change',
          isRowHeader: true,
          cell: (change) => (
            <span className="anywhere">
              {operations.get(change.operation) ?? change.operation} {entity(change)}
              {change.operation.startsWith('update_') && `: ${settings(change)}`}
              <Box color="text-body-secondary" fontSize="body-s">
                by {change.by.email}
              </Box>
            </span>
          ),
        },
      ]}
      footer={
        after !== null && (
          <Box textAlign="center">
            <Button loading={adding} loadingText="Loading earlier changes" onClick={showEarlier}>
              Show earlier changes
            </Button>
          </Box>
        )
      }
    />
  );
}

function settings({ operation, fields }: Change): string {
  const labels = operation === 'update_action' ? ACTION_LABELS : ASSISTANT_LABELS;
  return fields.map((field) => labels[field] ?? field).join(', ');
}
