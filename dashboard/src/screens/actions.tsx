import { Alert, Badge, Box, Button, Header, Link, SpaceBetween, Toggle } from '@cloudscape-design/components';
import { useState } from 'react';
import { formsInOrder, TRIGGERS } from '../../../src/contract/action-kinds.ts';
import type { ActionView } from '../../../src/contract/dashboard.ts';
import { ACTIONS_PER_ORGANIZATION } from '../../../src/contract/limits.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { type Column, compare, Empty, Items, useList } from '../parts/list.tsx';
import { NotLoaded, useLoad } from '../parts/loading.tsx';
import { BreakableText, Help, isolatedTexts, notYetFiring } from '../parts/texts.tsx';
import { ActionButtons, type Placed, useActionCommands } from './action-commands.tsx';
import type { AssistantProps } from './assistant-form.ts';
import { TestOutcome } from './test-outcome.tsx';

export default function Actions({ assistant, onSaved }: AssistantProps) {
  const { api, organization, isAdmin } = useDashboard();
  const { org_id } = organization;
  const loadedActions = useLoad(assistant.site_id, () => api('listActions', { org_id }, {}));
  const [actionToDelete, setDeleting] = useState<ActionView>();

  const { actions: all, unreadable } = loadedActions.value ?? { actions: [], unreadable: [] };
  const own = all.filter(({ site_id }) => site_id === assistant.site_id);
  const forms = formsInOrder(
    own.filter(({ trigger }) => trigger === 'Form'),
    assistant.form_order,
  );
  const others = own.filter(({ trigger }) => trigger !== 'Form').toSorted((a, b) => compare(a.name, b.name));
  const placedActions: readonly Placed[] = [...forms, ...others].map((action, position) => ({ ...action, position }));
  const commands = useActionCommands(loadedActions, forms, assistant, onSaved);
  const usedCount = all.length + unreadable.length;
  const isFull = usedCount >= ACTIONS_PER_ORGANIZATION;
  const pathOf = (action_id: string) => paths.action(org_id, assistant.site_id, action_id);
  const link = ({ action_id, name }: ActionView) => (
    <Link href={pathOf(action_id)}>
      <BreakableText text={name} />
    </Link>
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
  const buttons = (action: Placed) => (
    <ActionButtons
      action={action}
      formCount={forms.length}
      list={list}
      commands={commands}
      isFull={isFull}
      onDelete={() => setDeleting(action)}
    />
  );
  const columns: readonly Column<Placed>[] = [
    { id: 'position', header: 'No.', sortBy: ({ position }) => String(position), width: 70, cell: placeInWidget },
    {
      id: 'name',
      header: 'Name',
      sortBy: ({ name }) => name,
      isRowHeader: true,
      width: 210,
      minWidth: 140,
      cell: link,
    },
    { id: 'trigger', header: 'Trigger', sortBy: ({ trigger }) => trigger, width: 120, cell: badge },
    { id: 'endpoint', header: 'Endpoint', sortBy: ({ url }) => url, minWidth: 180, cell: endpoint },
    { id: 'state', header: 'On', sortBy: ({ enabled }) => String(enabled), width: 70, cell: toggle('') },
    { id: 'buttons', header: 'Commands', width: 150, minWidth: 150, cell: buttons },
  ];
  const list = useList(placedActions, 'Actions', searchedText, [BY_TRIGGER, BY_STATE], columns);

  if (loadedActions.value === undefined) return <NotLoaded loadedData={loadedActions} what="the Actions" />;
  const create = isAdmin && (
    <Button variant="primary" disabled={isFull} onClick={() => navigate(pathOf('new'))}>
      Create Action
    </Button>
  );
  const header = (
    <Header
      variant="h2"
      counter={list.counter}
      info={<Help page="actions" about="Actions" />}
      description={`Signed requests to your own endpoints. The organization uses ${usedCount} of ${ACTIONS_PER_ORGANIZATION} Actions.`}
      // An empty list has the button in its middle.
      actions={placedActions.length > 0 && create}
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
          <Empty title="No Actions yet">
            An Action calls your endpoint when an event happens, when the assistant decides to, or when a visitor
            submits a form.
            {create}
          </Empty>
        }
        card={{
          header: (action) => (
            <SpaceBetween direction="horizontal" size="xs" alignItems="center">
              <Box variant="h3">
                <BreakableText text={action.name} />
              </Box>
              {badge(action)}
            </SpaceBetween>
          ),
          sections: [
            ...(list.isLong ? [] : [{ id: 'when', header: 'When', content: whenItFires }]),
            { id: 'endpoint', ...(!list.isLong && { header: 'Endpoint' }), content: endpoint },
            {
              id: 'commands',
              content: (action) => (
                <SpaceBetween size="s" {...(list.isLong && { direction: 'horizontal', alignItems: 'center' })}>
                  {toggle('Enabled')(action)}
                  {buttons(action)}
                </SpaceBetween>
              ),
            },
          ],
        }}
      />
      {actionToDelete !== undefined && (
        <Confirm
          header={isolatedTexts`Delete ${actionToDelete.name}?`}
          confirm="Delete Action"
          busy={commands.busy.includes(actionToDelete.action_id)}
          onConfirm={() => commands.remove(actionToDelete, () => setDeleting(undefined))}
          onCancel={() => setDeleting(undefined)}
        >
          The service sends no more requests to {new URL(actionToDelete.url).host}, also no retries. The signing secret
          is deleted and cannot be restored. To pause the Action instead, switch it off.
        </Confirm>
      )}
      <TestOutcome tests={commands.tests} onAgain={({ action }) => commands.test(action)} />
    </>
  );
}

const badge = ({ trigger }: ActionView) => <Badge>{trigger}</Badge>;
const placeInWidget = ({ trigger, position }: Placed) => (trigger === 'Form' ? position + 1 : '');
/** A longer URL may be cut off (style.css), and is shown whole when it is touched or has the focus. */
const LONG_URL_CHARACTERS = 100;
const endpoint = ({ method, url }: ActionView) => (
  <Box variant="code">
    <div className="anywhere endpoint" title={url} {...(url.length > LONG_URL_CHARACTERS && { tabIndex: 0 })}>
      {method} <BreakableText text={url} />
    </div>
  </Box>
);

function whenItFires(action: ActionView): string {
  switch (action.trigger) {
    case 'Event':
      return action.events.map((name) => name + notYetFiring(name)).join(', ');
    case 'AI-decided':
      return action.description;
    case 'Form':
      return `A visitor submits: ${action.form_fields.map(({ label }) => label).join(', ')}`;
  }
}

const searchedText = (action: ActionView) =>
  [action.name, action.action_id, action.slug, action.url, whenItFires(action)].join('\n');

const BY_TRIGGER = { label: 'Trigger', options: TRIGGERS, of: ({ trigger }: ActionView) => trigger };
const BY_STATE = { label: 'State', options: ['On', 'Off'], of: ({ enabled }: ActionView) => (enabled ? 'On' : 'Off') };
