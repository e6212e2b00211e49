import Alert from '@cloudscape-design/components/alert';
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Cards from '@cloudscape-design/components/cards';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import Modal from '@cloudscape-design/components/modal';
import Skeleton from '@cloudscape-design/components/skeleton';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import Toggle from '@cloudscape-design/components/toggle';
import { useRef, useState } from 'react';
import { TRIGGERS } from '../../../src/contract/action-kinds.ts';
import type { ActionView, AssistantView, TestResult } from '../../../src/contract/dashboard.ts';
import { formsInOrder } from '../../../src/contract/form-order.ts';
import { ACTIONS_PER_ORGANIZATION } from '../../../src/contract/limits.ts';
import { navigate, paths } from '../navigation.ts';
import { useDashboard } from '../parts/context.ts';
import { byName, useNarrowed } from '../parts/many.tsx';
import { useLoad } from '../parts/use-load.ts';
import { ApiError } from '../session/api-error.ts';
import { TestOutcome } from './test-outcome.tsx';

/** The Actions card: the Actions of this assistant and their endpoints. */
export default function Actions({
  assistant,
  onSaved,
}: {
  readonly assistant: AssistantView;
  readonly onSaved: (assistant: AssistantView) => void;
}) {
  const { api, organization, isAdmin, notify, report } = useDashboard();
  const { org_id } = organization;
  const loaded = useLoad(assistant.site_id, () => api('listActions', { org_id }, {}));
  const [busy, setBusy] = useState<string>();
  const [deleting, setDeleting] = useState<ActionView>();
  /** The button that keeps the keyboard's focus when its card moves. */
  const focusNext = useRef('');
  const [tested, setTested] = useState<{ readonly action: ActionView; readonly result: TestResult }>();

  const all = loaded.value?.actions ?? [];
  const unreadable = loaded.value?.unreadable ?? [];
  const own = all.filter(({ site_id }) => site_id === assistant.site_id);
  const forms = formsInOrder(
    own.filter(({ trigger }) => trigger === 'Form'),
    assistant.form_order,
  );
  const others = own.filter(({ trigger }) => trigger !== 'Form').toSorted((a, b) => byName(a.name, b.name));
  const actions = [...forms, ...others];
  const { shown, many, narrowed, counter, filter, none } = useNarrowed(actions, 'Actions', searched, CHOICES);
  const used = all.length + unreadable.length;
  const full = used >= ACTIONS_PER_ORGANIZATION;
  const open = (action: string) => navigate(paths.action(org_id, assistant.site_id, action));

  /** Runs work on one Action. When another user has changed or deleted the Action, it loads the list again. */
  const run = async (action: ActionView, work: () => Promise<void>) => {
    setBusy(action.action_id);
    try {
      await work();
    } catch (error) {
      report(error);
      if (error instanceof ApiError && (error.code === 'stale_version' || error.code === 'action_not_found')) {
        loaded.reload();
      }
    } finally {
      setBusy(undefined);
    }
  };
  const replace = (next: ActionView) =>
    loaded.set({ unreadable, actions: all.map((other) => (other.action_id === next.action_id ? next : other)) });
  const idsOf = ({ action_id }: ActionView) => ({ org_id, action_id });

  const switchTo = (action: ActionView, enabled: boolean) =>
    run(action, async () => {
      const { version } = action;
      replace(await api('updateAction', idsOf(action), { body: { version, change: { enabled } } }));
      notify(`${action.name} is ${enabled ? 'on' : 'off'}.`);
    });
  const move = (action: ActionView, by: -1 | 1) =>
    run(action, async () => {
      const order = forms.map(({ action_id }) => action_id);
      const from = order.indexOf(action.action_id);
      order.splice(from, 1);
      order.splice(from + by, 0, action.action_id);
      const { site_id, version } = assistant;
      try {
        onSaved(
          await api('updateAssistant', { org_id, site_id }, { body: { version, change: { form_order: order } } }),
        );
      } catch (error) {
        // Another user has changed the assistant. The next press moves the form in the current order.
        if (error instanceof ApiError && error.current !== undefined && !('action_id' in error.current)) {
          onSaved(error.current);
        }
        throw error;
      }
      focusNext.current = moveLabel(action, by);
      notify(`${action.name} is form ${from + by + 1} of ${order.length} in the widget.`);
    });
  const test = (action: ActionView) =>
    run(action, async () => setTested({ action, result: await api('testAction', idsOf(action), {}) }));
  const remove = (action: ActionView) =>
    run(action, async () => {
      await api('deleteAction', idsOf(action), { query: { version: String(action.version) } });
      setDeleting(undefined);
      loaded.set({ unreadable, actions: all.filter(({ action_id }) => action_id !== action.action_id) });
      notify(`${action.name} was deleted.`);
    });

  const create = isAdmin && (
    <Button variant="primary" disabled={full} onClick={() => open('new')}>
      Create Action
    </Button>
  );
  const header = (
    <Header
      variant="h2"
      counter={loaded.value && counter}
      description={
        <>
          Signed requests to your own endpoints.{' '}
          {loaded.value === undefined
            ? loaded.failed || <Skeleton display="inline-block" width="220px" />
            : `The organization uses ${used} of ${ACTIONS_PER_ORGANIZATION} Actions.`}
        </>
      }
      actions={create}
    >
      Actions
    </Header>
  );
  const empty = loaded.failed ? (
    <Button onClick={loaded.reload}>Try again</Button>
  ) : (
    <Box textAlign="center">
      <Box variant="strong">No Actions yet</Box>
      <Box variant="p">
        An Action calls your endpoint when an event happens, when the assistant decides to, or when a visitor submits a
        form.
      </Box>
      {create}
    </Box>
  );
  const link = ({ action_id, name }: ActionView) => (
    <Link
      href={paths.action(org_id, assistant.site_id, action_id)}
      onFollow={(event) => {
        event.preventDefault();
        open(action_id);
      }}
    >
      {name}
    </Link>
  );
  const endpoint = ({ method, url }: ActionView) => (
    <Box variant="code" className="anywhere">
      {method} {url}
    </Box>
  );
  const toggle = (action: ActionView) => (
    <Toggle
      checked={action.enabled}
      disabled={!isAdmin || busy === action.action_id}
      ariaLabel={`${action.name} enabled`}
      onChange={({ detail }) => switchTo(action, detail.checked)}
    >
      Enabled
    </Toggle>
  );
  const buttons = (action: ActionView) => (
    <SpaceBetween direction="horizontal" size="xs">
      {isAdmin &&
        action.trigger === 'Form' &&
        forms.length > 1 &&
        !narrowed &&
        MOVES.map(({ by, icon }) => {
          const label = moveLabel(action, by);
          const isLast = forms.at(by === -1 ? 0 : -1)?.action_id === action.action_id;
          return (
            <Button
              key={by}
              iconName={icon}
              ariaLabel={label}
              disabled={isLast || busy === action.action_id}
              // A disabled button with a reason keeps the focus.
              disabledReason={`It is the ${by === -1 ? 'first' : 'last'} form.`}
              onClick={() => move(action, by)}
              ref={(button) => {
                if (button === null || focusNext.current !== label || busy !== undefined) return;
                focusNext.current = '';
                button.focus();
              }}
            />
          );
        })}
      <Button ariaLabel={`${isAdmin ? 'Edit' : 'View'} ${action.name}`} onClick={() => open(action.action_id)}>
        {isAdmin ? 'Edit' : 'View'}
      </Button>
      {isAdmin && (
        <Button
          ariaLabel={`Test ${action.name}`}
          loading={busy === action.action_id}
          loadingText={`Testing ${action.name}`}
          onClick={() => test(action)}
        >
          Test
        </Button>
      )}
      {isAdmin && (
        <Button ariaLabel={`Delete ${action.name}`} onClick={() => setDeleting(action)}>
          Delete
        </Button>
      )}
    </SpaceBetween>
  );
  return (
    <>
      {unreadable.length > 0 && (
        <Alert type="error" header="Not every Action can be shown">
          The service cannot read {unreadable.map(({ action_id }) => action_id).join(', ')} of this organization. The
          service sends nothing for them until the operator has corrected this. All other Actions work.
        </Alert>
      )}
      {many ? (
        <Table<ActionView>
          header={header}
          filter={filter}
          items={shown}
          trackBy="action_id"
          wrapLines
          contentDensity="compact"
          ariaLabels={{ tableLabel: 'Actions' }}
          empty={none}
          columnDefinitions={[
            { id: 'name', header: 'Name', isRowHeader: true, minWidth: 140, cell: link },
            { id: 'trigger', header: 'Trigger', minWidth: 120, cell: ({ trigger }) => <Badge>{trigger}</Badge> },
            { id: 'endpoint', header: 'Endpoint', minWidth: 200, cell: endpoint },
            { id: 'enabled', header: 'State', minWidth: 110, cell: toggle },
            { id: 'buttons', header: 'Commands', minWidth: 250, cell: buttons },
          ]}
        />
      ) : (
        <Cards<ActionView>
          header={header}
          filter={filter}
          items={shown}
          trackBy="action_id"
          loading={loaded.value === undefined && !loaded.failed}
          loadingText="Loading Actions"
          cardsPerRow={[{ cards: 1 }, { minWidth: 760, cards: 2 }]}
          empty={narrowed ? none : empty}
          cardDefinition={{
            header: (action) => (
              <SpaceBetween direction="horizontal" size="xs" alignItems="center">
                <Box variant="h3">{action.name}</Box>
                <Badge>{action.trigger}</Badge>
              </SpaceBetween>
            ),
            sections: [
              { id: 'what', header: 'When', content: what },
              {
                id: 'endpoint',
                header: 'Endpoint',
                content: endpoint,
              },
              {
                id: 'enabled',
                content: toggle,
              },
              {
                id: 'buttons',
                content: buttons,
              },
            ],
          }}
        />
      )}
      {deleting !== undefined && (
        <Modal
          visible
          header={`Delete ${deleting.name}?`}
          closeAriaLabel="Cancel"
          onDismiss={() => setDeleting(undefined)}
          footer={
            <Box float="right">
              <SpaceBetween direction="horizontal" size="xs">
                <Button onClick={() => setDeleting(undefined)}>Cancel</Button>
                <Button variant="primary" loading={busy === deleting.action_id} onClick={() => remove(deleting)}>
                  Delete Action
                </Button>
              </SpaceBetween>
            </Box>
          }
        >
          The service sends no more requests to {new URL(deleting.url).host}, also no retries. The signing secret is
          deleted and cannot be restored. To pause the Action instead, switch it off.
        </Modal>
      )}
      {tested !== undefined && <TestOutcome {...tested} onClose={() => setTested(undefined)} />}
    </>
  );
}

const MOVES = [
  { by: -1, icon: 'arrow-up' },
  { by: 1, icon: 'arrow-down' },
] as const;
const moveLabel = ({ name }: ActionView, by: -1 | 1) => `Move ${name} ${by === -1 ? 'up' : 'down'}`;

function what(action: ActionView): string {
  switch (action.trigger) {
    case 'Event':
      return action.events.join(', ');
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

const CHOICES = [
  {
    label: 'Trigger',
    options: TRIGGERS.map((label) => ({ label, fits: ({ trigger }: ActionView) => trigger === label })),
  },
  {
    label: 'State',
    options: [
      { label: 'On', fits: ({ enabled }: ActionView) => enabled },
      { label: 'Off', fits: ({ enabled }: ActionView) => !enabled },
    ],
  },
];
