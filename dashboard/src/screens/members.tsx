import { Box, FormField, Header, Input, SpaceBetween, Table } from '@cloudscape-design/components';
import { useState } from 'react';
import type { DashboardAnswer } from '../../../src/contract/dashboard.ts';
import { useDashboard, useTitle } from '../parts/context.ts';
import { OneOf } from '../parts/fields.tsx';
import { NotLoaded, Unreadable, useLoad } from '../parts/loading.tsx';
import { BreakableText, OperatorCommand, Panel, Time } from '../parts/texts.tsx';

type Member = DashboardAnswer<'listMembers'>['members'][number];

/** The users of the dashboard of the organization. Only the operator changes them. */
export default function Members() {
  const { api, organization } = useDashboard();
  const { org_id, name } = organization;
  useTitle(`Members of ${name}`);
  const loadedMembers = useLoad(org_id, () => api('listMembers', { org_id }, {}));
  if (loadedMembers.value === undefined) return <NotLoaded loadedData={loadedMembers} what="the members" />;
  const { members, unreadable } = loadedMembers.value;
  const table = (
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
          cell: ({ email }) => <BreakableText text={email} />,
        },
        {
          id: 'role',
          header: 'Role',
          width: 130,
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
  return (
    <SpaceBetween size="m">
      <Unreadable count={unreadable} of="members" />
      {table}
      <ChangeMember orgId={org_id} />
    </SpaceBetween>
  );
}

/** The changes that the operator can make, and the words of the command after `va-wave member`. */
const CHANGES = {
  'Add or make an admin': (member: string) => `add ${member} --role admin`,
  'Add or make a member': (member: string) => `add ${member} --role member`,
  Remove: (member: string) => `remove ${member}`,
} as const;
type Change = keyof typeof CHANGES;
const EVERY_CHANGE: readonly Change[] = ['Add or make an admin', 'Add or make a member', 'Remove'];
const shellWord = (text: string) => (/^[\w.@+-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function ChangeMember({ orgId }: { readonly orgId: string }) {
  const [change, setChange] = useState<Change>('Add or make an admin');
  const [email, setEmail] = useState('');
  const command = CHANGES[change](`--org ${orgId} --email ${shellWord(email.trim()) || '<email>'}`);
  return (
    <Panel title="Change a member" description="Send this command to the operator of this service.">
      <FormField label="What">
        <OneOf value={change} words={EVERY_CHANGE} isReadOnly={false} onChange={setChange} />
      </FormField>
      <FormField label="Email">
        <Input
          value={email}
          inputMode="email"
          placeholder="ada@example.com"
          onChange={({ detail }) => setEmail(detail.value)}
        />
      </FormField>
      <OperatorCommand does="changes a member" command={`member ${command}`} />
    </Panel>
  );
}
