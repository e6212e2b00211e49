import { Box, Button, Header, Link, SpaceBetween, Table } from '@cloudscape-design/components';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import type { AuditOperation } from '../../../src/contract/organizations.ts';
import { paths } from '../navigation.ts';
import { useDashboard, useTitle, useWork } from '../parts/context.ts';
import { compare, useList } from '../parts/list.tsx';
import { NotLoaded, Unreadable, useLoad } from '../parts/loading.tsx';
import { BreakableText, isolatedTexts, Time } from '../parts/texts.tsx';
import { ACTION_ROWS } from './action-settings.tsx';
import { ASSISTANT_ROWS } from './assistant-form.ts';
import { allAssistants } from './assistants.tsx';
import { type Changed, changedSetting } from './changed-setting.ts';

type Trail = DashboardAnswer<'listAudit'>;
type Change = Trail['records'][number];

const OPERATIONS: Readonly<Record<string, string>> = {
  update_organization: 'Changed the organization',
  create_assistant: 'Created the assistant',
  update_assistant: 'Changed the assistant',
  generate_server_secret: 'Generated a server secret for the assistant',
  delete_assistant: 'Deleted the assistant',
  create_action: 'Created the Action',
  update_action: 'Changed the Action',
  delete_action: 'Deleted the Action',
  export_data: 'Read the data of the organization',
  read_deliveries: 'Read deliveries with their payloads',
  read_secret: 'Read the signing secret of the Action',
  erase_person: "Erased a person's data in the organization",
  add_member: 'Added the member',
  change_role: 'Changed the role of the member',
  remove_member: 'Removed the member',
} satisfies Record<AuditOperation, string>;
const kindOf = ({ operation }: Change) => OPERATIONS[operation] ?? operation;

const filterBy = (label: string, changes: readonly Change[], of: (change: Change) => string) => ({
  label,
  options: [...new Set(changes.map(of))].sort(compare),
  of,
});

export default function AuditTrail() {
  const { api, organization } = useDashboard();
  const { org_id, name } = organization;
  useTitle(`Audit trail of ${name}`);
  const loadedTrail = useLoad<Trail>(org_id, () => api('listAudit', { org_id }, {}));
  const names = useLoad(org_id, async () => {
    const [{ assistants }, { actions }] = await Promise.all([
      allAssistants(api, org_id),
      api('listActions', { org_id }, {}),
    ]);
    return new Map([
      ...assistants.map(({ site_id, name }) => [site_id, name] as const),
      ...actions.map(({ action_id, name }) => [action_id, name] as const),
    ]);
  });
  const [addingEarlier, run] = useWork();
  const { records, unreadable, next: after } = loadedTrail.value ?? { records: [], unreadable: 0, next: null };
  const nameOf = ({ entity_id, name }: Change) => names.value?.get(entity_id) ?? name ?? entity_id;
  const searchedText = (change: Change) =>
    [
      nameOf(change),
      change.name,
      change.entity_id,
      change.by.email,
      labelsOf(change),
      ...changedSettings(change).flat(),
    ].join('\n');
  const filters = [filterBy('Person', records, (change) => change.by.email), filterBy('Change', records, kindOf)];
  const list = useList(records, 'changes', searchedText, filters, [], after !== null);
  if (loadedTrail.value === undefined) return <NotLoaded loadedData={loadedTrail} what="the audit trail" />;
  const showEarlier = () =>
    run(async () => {
      if (after === null) return;
      const earlier = await api('listAudit', { org_id }, { query: { after } });
      loadedTrail.change((last) => ({
        ...earlier,
        records: [...last.records, ...earlier.records],
        unreadable: last.unreadable + earlier.unreadable,
      }));
    });

  const entityLink = (change: Change) => {
    const { site_id, entity_id, name } = change;
    const shownName = names.value?.get(entity_id) ?? name;
    if (names.value?.has(entity_id) !== true || site_id === '')
      return shownName ? <BreakableText text={shownName} /> : <Box variant="code">{entity_id}</Box>;
    const path = entity_id === site_id ? paths.assistant(org_id, site_id) : paths.action(org_id, site_id, entity_id);
    return (
      <Link href={path}>
        <BreakableText text={nameOf(change)} />
      </Link>
    );
  };
  const table = (
    <Table<Change>
      header={
        <Header
          variant="h1"
          counter={list.counter}
          description={`Changes that admins made in the dashboard and the operator on the command line, the newest first. It has no secrets.${after === null ? '' : ' The search and the filters cover the changes that are shown.'}`}
        >
          Audit trail
        </Header>
      }
      items={list.shownRows.items}
      filter={list.shownRows.filter}
      wrapLines
      contentDensity="compact"
      empty={list.none ?? <Box variant="strong">No changes yet</Box>}
      ariaLabels={{ tableLabel: 'Changes' }}
      columnDefinitions={[
        { id: 'at', header: 'Time', width: 130, cell: ({ at }) => <Time at={at} /> },
        {
          id: 'change',
          header: 'Change',
          isRowHeader: true,
          cell: (change) => (
            <span className="anywhere">
              {kindOf(change)} {entityLink(change)}
              {changedSettings(change).length > 0 && (
                <ul className="audit-values">
                  {changedSettings(change).map((setting) => (
                    <li key={setting.join()}>{settingText(setting)}</li>
                  ))}
                </ul>
              )}
              <Box color="text-body-secondary" fontSize="body-s">
                by <BreakableText text={change.by.email} />
              </Box>
            </span>
          ),
        },
      ]}
      footer={
        after !== null && (
          <Box textAlign="center">
            <Button loading={addingEarlier} loadingText="Loading earlier changes" onClick={showEarlier}>
              Show earlier changes
            </Button>
          </Box>
        )
      }
    />
  );
  return (
    <SpaceBetween size="m">
      <Unreadable count={unreadable} of="changes" />
      {table}
    </SpaceBetween>
  );
}

/** The names of settings that no form has. */
const OTHER_LABELS: Readonly<Record<string, string>> = {
  role: 'Role',
  slug: 'Name in code',
  plan: 'Plan',
  suspended: 'Suspended',
  assistant_limit: 'Number of assistants',
  daily_outbound_quota: 'Requests to endpoints per day',
  escalation_topics: 'Escalation channels',
  form_submissions_per_hour: 'Form submissions per hour',
};
const labelOf = ({ entity_id, site_id }: Change, field: string) => {
  const rows: Readonly<Record<string, { readonly label: string }>> =
    entity_id === site_id ? ASSISTANT_ROWS : ACTION_ROWS;
  return rows[field]?.label ?? OTHER_LABELS[field] ?? field;
};

const labelsOf = (change: Change) => change.fields.map((field) => labelOf(change, field)).join(', ');

const changedSettings = (change: Change): readonly Changed[] => {
  const changes = new Map(change.changes?.map((one) => [one.field, one]));
  return change.fields.flatMap((field): readonly Changed[] => {
    const label = labelOf(change, field);
    const values = changes.get(field);
    // Of secrets the trail has no values. Only an update needs their name: the other operations say what has changed.
    if (values === undefined) return change.operation.startsWith('update_') ? [[label]] : [];
    return [changedSetting(label, values)];
  });
};

const settingText = ([label, before, after]: Changed) =>
  before === undefined || after === undefined ? label : isolatedTexts`${label}: ${before} → ${after}`;
