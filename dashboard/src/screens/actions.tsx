import { Alert, Badge, Box, Button, Header, Link, SpaceBetween, Toggle } from '@cloudscape-design/components';
import { useState } from 'react';
import { formsInOrder, TRIGGERS } from '../../../src/contract/action-kinds.ts';
import type { ActionView, AssistantView } from '../../../src/contract/dashboard.ts';
import { ACTIONS_PER_ORGANIZATION } from '../../../src/contract/limits.ts';
import { navigate, paths } from '../navigation.ts';
import { NotLoaded } from '../parts/boundary.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { useDashboard } from '../parts/context.ts';
import { Help } from '../parts/help.tsx';
import { byName, type Column, Items, onOff, useNarrowed } from '../parts/many.tsx';
import { useLoad } from '../parts/use-load.ts';
import { ActionCommands } from './action-commands.tsx';
import { notYetFiring } from './action-values.ts';
import { TestOutcome } from './test-outcome.tsx';
import { useActionCommands } from './use-action-commands.ts';

/** The Actions of an assistant and their endpoints. */
export default function Actions({
  assistant,
  onSaved,
}: {
  readonly assistant: AssistantView;
  readonly onSaved: (assistant: AssistantView) => void;
}) {
  const { api, organization, isAdmin } = useDashboard();
  const { org_id } = organization;
  const loaded = useLoad(assistant.site_id, () => api('listActions', { org_id }, {}));
  const [deleting, setDeleting] = useState<ActionView>();

  const all = loaded.value?.actions ?? [];
  const unreadable = loaded.value?.unreadable ?? [];
  const own = all.filter(({ site_id }) => site_id === assistant.site_id);
  const forms = formsInOrder(
    own.filter(({ trigger }) => trigger === 'Form'),
    assistant.form_order,
  );
  const others = own.filter(({ trigger }) => trigger !== 'Form').toSorted((a, b) => byName(a.name, b.name));
  const commands = useActionCommands(loaded, forms, assistant, onSaved);
  const used = all.length + unreadable.length;
  const isFull = used >= ACTIONS_PER_ORGANIZATION;
  const link = ({ action_id, name }: ActionView) => (
    <Link href={paths.action(org_id, assistant.site_id, action_id)}>{name}</Link>
  );
  const toggle = (label: string) => (action: ActionView) => (
    <Toggle
      checked={action.enabled}
      disabled={!isAdmin || commands.busy.includes(action.action_id)}
      ariaLabel={`${action.name} enabled`}
      onChange={({ detail }) => commands.switchTo(action, detail.checked)}
    >
      {label}
    </Toggle>
  );
  const buttons = (action: ActionView) => (
    <ActionCommands
      action={action}
      forms={forms}
      list={list}
      commands={commands}
      isFull={isFull}
      onDelete={() => setDeleting(action)}
    />
  );
  const columns: readonly Column<ActionView>[] = [
    {
      id: 'position',
      header: 'No.',
      // The Actions arrive in this order.
      sortBy: () => '',
      width: 70,
      cell: (action) => (action.trigger === 'Form' ? forms.indexOf(action) + 1 : ''),
    },
    { id: 'name', header: 'Name', sortBy: ({ name }) => name, isRowHeader: true, minWidth: 140, cell: link },
    { id: 'trigger', header: 'Trigger', sortBy: ({ trigger }) => trigger, width: 120, cell: badge },
    {
      id: 'endpoint',
      header: 'Endpoint',
      sortBy: ({ url }) => url,
      minWidth: 140,
      cell: ({ method, url }) => (
        <Box variant="code">
          <div className="line" title={url}>
            {method} {url}
          </div>
        </Box>
      ),
    },
    { id: 'state', header: 'On', sortBy: ({ enabled }) => (enabled ? 'on' : 'off'), width: 70, cell: toggle('') },
    { id: 'buttons', header: 'Commands', width: 150, cell: buttons },
  ];
  const list = useNarrowed([...forms, ...others], 'Actions', searched, [TRIGGER, onOff('State')], columns);

  if (loaded.value === undefined) return <NotLoaded loaded={loaded} what="the Actions" />;
  const create = isAdmin && (
    <Button
      variant="primary"
      disabled={isFull}
      onClick={() => navigate(paths.action(org_id, assistant.site_id, 'new'))}
    >
      Create Action
    </Button>
  );
  const header = (
    <Header
      variant="h2"
      counter={list.counter}
      info={<Help page="actions" about="Actions" />}
      description={`Signed requests to your own endpoints. The organization uses ${used} of ${ACTIONS_PER_ORGANIZATION} Actions.`}
      actions={create}
    >
      Actions
    </Header>
  );
  return (
    <>
      {unreadable.length > 0 && (
        <Alert type="error" header="Not every Action can be shown">
          The service cannot read {unreadable.map(({ action_id }) => action_id).join(', ')} of this organization. The
          service sends nothing for them until the operator has corrected this. All other Actions work.
        </Alert>
      )}
      <Items
        list={list}
        trackBy="action_id"
        header={header}
        empty={
          <Box textAlign="center">
            <Box variant="strong">No Actions yet</Box>
            <Box variant="p">
              An Action calls your endpoint when an event happens, when the assistant decides to, or when a visitor
              submits a form.
            </Box>
            {create}
          </Box>
        }
        card={{
          header: (action) => (
            <SpaceBetween direction="horizontal" size="xs" alignItems="center">
              <Box variant="h3">{action.name}</Box>
              {badge(action)}
            </SpaceBetween>
          ),
          sections: [
            ...(list.many ? [] : [{ id: 'what', header: 'When', content: what }]),
            { id: 'endpoint', ...(!list.many && { header: 'Endpoint' }), content: endpoint },
            {
              id: 'commands',
              content: (action) => (
                <SpaceBetween
                  direction={list.many ? 'horizontal' : 'vertical'}
                  size="s"
                  alignItems={list.many ? 'center' : 'start'}
                >
                  {toggle('Enabled')(action)}
                  {buttons(action)}
                </SpaceBetween>
              ),
            },
          ],
        }}
      />
      {deleting !== undefined && (
        <Confirm
          header={`Delete ${deleting.name}?`}
          confirm="Delete Action"
          busy={commands.busy.includes(deleting.action_id)}
          onConfirm={() => commands.remove(deleting, () => setDeleting(undefined))}
          onCancel={() => setDeleting(undefined)}
        >
          The service sends no more requests to {new URL(deleting.url).host}, also no retries. The signing secret is
          deleted and cannot be restored. To pause the Action instead, switch it off.
        </Confirm>
      )}
      {commands.tested !== undefined && (
        <TestOutcome
          {...commands.tested}
          busy={commands.busy.length > 0}
          onAgain={commands.test}
          onClose={commands.closeTest}
        />
      )}
    </>
  );
}

const badge = ({ trigger }: ActionView) => <Badge>{trigger}</Badge>;
const endpoint = ({ method, url }: ActionView) => (
  <Box variant="code" className="anywhere">
    {method} {url}
  </Box>
);

function what(action: ActionView): string {
  switch (action.trigger) {
    case 'Event':
      return action.events.map((name) => name + notYetFiring(name)).join(', ');
    case 'AI-decided':
      return action.description;
    case 'Form':
      return `A visitor submits: ${action.form_fields.map(({ label }) => label).join(', ')}`;
  }
}

/** Returns the text of an Action for the search. */
function searched(action: ActionView): string {
  return [action.name, action.action_id, action.slug, action.url, what(action)].join('\n');
}

const TRIGGER = {
  label: 'Trigger',
  options: TRIGGERS.map((label) => ({ label, fits: ({ trigger }: ActionView) => trigger === label })),
};
