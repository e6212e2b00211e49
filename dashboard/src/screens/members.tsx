import { Box, Header, Table } from '@cloudscape-design/components';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { useDashboard, useTitle } from '../parts/context.ts';
import { NotLoaded, useLoad } from '../parts/loading.tsx';
import { Time } from '../parts/texts.tsx';

type Member = DashboardAnswer<'listMembers'>['members'][number];

/** The users of the dashboard of the organization. Only the operator changes them. */
export default function Members() {
  const { api, organization } = useDashboard();
  const { org_id, name } = organization;
  useTitle(`Members of ${name}`);
  const loaded = useLoad(org_id, () => api('listMembers', { org_id }, {}));
  const members = loaded.value?.members;
  if (members === undefined) return <NotLoaded loaded={loaded} what="the members" />;
  return (
    <Table<Member>
      header={
        <Header
          variant="h1"
          counter={`(${members.length})`}
          description="Admins can change everything, members can only read. The operator of this service adds, changes and removes members."
        >
          Members
        </Header>
      }
      items={members}
      trackBy="email"
      wrapLines
      ariaLabels={{ tableLabel: 'Members' }}
      columnDefinitions={[
        {
          id: 'email',
          header: 'Email',
          isRowHeader: true,
          cell: ({ email }) => <span className="anywhere">{email}</span>,
        },
        {
          id: 'role',
          header: 'Role',
          width: 150,
          cell: ({ role, created_at }) => (
            <>
              {role === 'admin' ? 'Admin' : 'Member'}{' '}
              <Box variant="small">
                since <Time at={created_at} dateOnly />
              </Box>
            </>
          ),
        },
      ]}
    />
  );
}
