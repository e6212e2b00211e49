import { InvalidArgumentError, Option } from 'commander';
import type { SettingsByTrigger } from '../../src/contract/action-shape.ts';
import { type Action, FIELD_TYPES, METHODS, TRIGGERS } from '../../src/contract/actions.ts';
import type { TestResult } from '../../src/contract/dashboard.ts';
import { EVENT_CATALOG, EVENT_NAMES } from '../../src/contract/events.ts';
import { truncateCharacters } from '../../src/contract/fields.ts';
import { AI_DESCRIPTION_MIN_CHARACTERS, NAME_MAX_CHARACTERS, URL_MAX_CHARACTERS } from '../../src/contract/limits.ts';
import { createAction, deleteAction, requireAction, updateAction } from '../../src/domain/actions/manage-actions.ts';
import { auditRecordOf, subjectOf } from '../../src/domain/organizations/changes.ts';
import { requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { requireExisting } from '../../src/domain/organizations/manage-organizations.ts';
import { invalidField } from '../../src/domain/refusal.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { mayBelongTo } from '../operations/erase.ts';
import { type CommandOutput, type Row, statusOf } from '../output.ts';
import type { CliProcess } from '../process.ts';
import { type GivenOptions, givenSettings, type SettingOptions, withSettings } from '../settings.ts';
import { jsonValue, namedChange, requireOne, wordLike } from '../values.ts';

const SETTINGS: SettingOptions<
  SettingsByTrigger['Event'] & SettingsByTrigger['AI-decided'] & SettingsByTrigger['Form']
> = {
  name: { flags: '--name <name>', text: `at most ${NAME_MAX_CHARACTERS} characters`, isRequired: true },
  url: {
    flags: '--url <url>',
    text: `https endpoint, at most ${URL_MAX_CHARACTERS} characters`,
    isRequired: true,
  },
  method: {
    flags: '--method <method>',
    text: `${METHODS.join(', ')}; at first POST. GET sends no body`,
    parse: (text) => wordLike(METHODS, text),
  },
  enabled: {
    flags: '--enable',
    text: 'switch it on',
    clearOption: ['--disable', 'switch it off', false],
  },
  events: { flags: '--event <name>', text: 'Event: event of the catalog (va-wave event list)', isList: true },
  form_fields: {
    flags: '--field <field>',
    text: `Form: key:Label:Type[:required], Type ${FIELD_TYPES.join(', ')}`,
    isList: true,
    settingOf: (fields) => fields.map(formField),
  },
  description: {
    flags: '--description <text>',
    text: `AI-decided: tells the assistant when to call it, at least ${AI_DESCRIPTION_MIN_CHARACTERS} characters`,
  },
  parameters: {
    flags: '--parameters <json>',
    text: 'AI-decided: JSON Schema of the arguments, as JSON or a file',
    settingOf: ([text = ''], cliProcess) => parametersOf(text, cliProcess),
    clearOption: ['--clear-parameters', 'AI-decided: no parameters', null],
  },
  feed_response_back: {
    flags: '--feed-back',
    text: 'AI-decided: feed the response back to the assistant',
    clearOption: ['--no-feed-back', 'AI-decided: tell the assistant only that the Action completed', false],
  },
  response_field_map: {
    flags: '--response-map <name=$.path>',
    text: 'AI-decided: field of the response to feed back',
    isList: true,
    settingOf: responseFieldMap,
    clearOption: ['--clear-response-map', 'AI-decided: no response field map', null],
  },
};

type TriggerOption = GivenOptions & { readonly trigger?: string };
const triggerOption = (text: string) =>
  new Option('--trigger <trigger>', text).argParser((trigger) => wordLike(TRIGGERS, trigger));

/** How many characters of body and response `action test` shows as text. --json prints all. */
const EXCERPT_CHARACTERS = 200;

/** Refuses --org of `create`, which other commands take, and says what to write instead. */
function refuseOrganization(): never {
  throw new InvalidArgumentError(
    'An Action belongs to an assistant: write --site <site_id>, which assistant list shows',
  );
}

export function addTo(action: CliCommand): void {
  const create = action
    .command('create')
    .description('create an Action on an assistant')
    .requiredOption('--site <site_id>', 'assistant that it belongs to')
    .addOption(new Option('--org <org_id>').hideHelp().argParser(refuseOrganization))
    .addOption(triggerOption('Event, AI-decided or Form; cannot be changed afterwards').makeOptionMandatory());
  withSettings(create, SETTINGS, true)
    .examples(...CREATE_EXAMPLES)
    .withDeployment(
      async ({ output, context, cliProcess, hint }, options: TriggerOption & { readonly site: string }) => {
        const input = { trigger: options.trigger, ...(await givenSettings(SETTINGS, options, cliProcess)) };
        const createdAction = await createAction(await requireAssistant(options.site, context), input, context);
        output.object(printedAction(createdAction), 'Created the Action');
        warnOfReserved(createdAction, output);
        output.note(`Its signing secret, for the receiver: ${hint(`action secret ${createdAction.action_id}`)}`);
      },
    );

  const update = action
    .command('update <action_id>')
    .description('change settings; other settings stay unchanged')
    .addOption(triggerOption('the trigger cannot be changed; another value is refused'));
  withSettings(update, SETTINGS, false)
    .examples('va-wave action update act_… --url https://crm.example/v2/events --enable')
    .withDeployment(async ({ output, context, cliProcess }, actionId: string, options: TriggerOption) => {
      const settings = await givenSettings(SETTINGS, options, cliProcess);
      const change = namedChange({ trigger: options.trigger, ...settings });
      const changedAction = await updateAction(await requireAction(actionId, context), change, context);
      output.object(printedAction(changedAction), 'Changed the Action');
      if ('events' in change) warnOfReserved(changedAction, output);
    });

  action
    .command('delete <action_id>')
    .description('delete an Action and its signing secret; a waiting retry sends nothing and leaves no record')
    .examples('va-wave action delete act_…')
    .withDeployment(async ({ output, context, confirm }, actionId: string) => {
      const action = await requireAction(actionId, context);
      await confirm(`Delete the Action ${action.name} (${actionId})?`);
      await deleteAction(action, context);
      output.object({ action_id: actionId, deleted: true }, 'Deleted the Action');
    });

  action
    .command('show <action_id>')
    .description('show the settings of an Action')
    .examples('va-wave action show act_… --json')
    .withDeployment(async ({ output, context }, actionId: string) => {
      output.object(printedAction(await requireAction(actionId, context)), 'Action');
    });

  action
    .command('list')
    .description('list the Actions of an organization or of an assistant')
    .option('--org <org_id>', 'organization')
    .option('--site <site_id>', 'assistant')
    .examples('va-wave action list --site site_…')
    .withDeployment(async ({ output, context }, options: { org?: string; site?: string }) => {
      requireOne([options.org, options.site], 'Give either --org or --site');
      const list = await actionsOf(options, context);
      const actions = list.actions.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
      output.list(actions.map(printedAction), 'No Actions', actions.map(actionRow), list.unreadable);
    });

  action
    .command('test <action_id>')
    .description('send a signed test request like the Test button, also if the Action is switched off')
    .examples('va-wave action test act_…')
    .withDeployment(async ({ output, context }, actionId: string) => {
      const { org_id, name } = await requireAction(actionId, context);
      output.showProgress(`Testing ${name}`);
      const result = await context.testAction(org_id, actionId);
      output.object({ action_id: actionId, ...result }, 'Sent the test request', testFields(result));
      if (!result.success) {
        const { code, message } = result.error ?? { code: 'http_status', message: `HTTP ${result.status}` };
        throw new CommandFailure(EXIT.testFailed, `The test request failed: ${code}: ${message}`);
      }
    });

  action
    .command('secret <action_id>')
    .description('print the signing secret of an Action, for its receiver')
    .examples('va-wave action secret act_… > signing-secret.txt')
    .withDeployment(async ({ output, context }, actionId: string) => {
      const action = await requireAction(actionId, context);
      await context.store.record(auditRecordOf('read_secret', subjectOf(action), context));
      const secret = await context.openSigningSecret(action);
      output.secret(
        { action_id: actionId, signing_secret: secret },
        secret,
        'Give it only to the team that runs the endpoint: it proves that a request comes from this Action.',
      );
    });
}

/** Returns what the text output has of a test: the request without its headers, and the beginning of body and response. */
function testFields({ request, status, latency_ms, success, response_excerpt }: TestResult): [string, string][] {
  return [
    ['request', `${request.method} ${request.url}`],
    ['body', truncateCharacters(request.body ?? '', EXCERPT_CHARACTERS)],
    ['outcome', success ? 'delivered' : 'failed'],
    ['status', status === null ? '' : String(status)],
    ['latency', latency_ms === null ? '' : `${latency_ms} ms`],
    ['response', truncateCharacters(response_excerpt ?? '', EXCERPT_CHARACTERS)],
  ];
}

/** Reads the Actions of an organization or of an assistant. @throws Refusal 404 */
async function actionsOf(options: { org?: string; site?: string }, { store }: ConnectedRun['context']) {
  if (options.site === undefined) {
    const { org = '' } = options;
    await requireExisting(org, { store });
    return store.listActions(org);
  }
  const { org_id, site_id } = await requireAssistant(options.site, { store });
  const { actions, unreadable } = await store.listActions(org_id);
  return {
    actions: actions.filter((action) => action.site_id === site_id),
    unreadable: unreadable.filter(mayBelongTo(site_id)),
  };
}

function printedAction({ sealed_signing_secret, ...rest }: Action): object {
  return rest;
}

const actionRow = (action: Action): Row => ({
  action_id: action.action_id,
  trigger: action.trigger,
  status: statusOf(action),
  site_id: action.site_id,
  endpoint: `${action.method} ${action.url}`,
  name: action.name,
});

function warnOfReserved(action: Action, output: CommandOutput): void {
  if (action.trigger !== 'Event') return;
  for (const name of EVENT_NAMES) {
    if (EVENT_CATALOG[name].reserved && action.events.includes(name))
      output.note(`Warning: ${name} is reserved: it can be selected, but is never delivered`);
  }
}

const CREATE_EXAMPLES = [
  `va-wave action create --site site_… --trigger Event --name 'Tell the CRM' \\
    --url https://crm.example/events --event conversation.started --event conversation.ended`,
  `va-wave action create --site site_… --trigger Form --name 'Contact us' --url https://crm.example/forms \\
    --field email:Email:Email:required --field 'note:Your message:Long text'`,
  `va-wave action create --site site_… --trigger AI-decided --name 'Find an order' --url https://crm.example/orders \\
    --description 'Finds an order by its number' --feed-back --response-map 'status=$.order.status' \\
    --parameters '{"properties": {"number": {"type": "string"}}, "required": ["number"]}'`,
];

/** Parses the schema of the arguments. A text that does not begin as JSON names a file, also without an @. */
const parametersOf = (text: string, cliProcess: CliProcess) =>
  jsonValue('parameters', /^(@|\s*[{["])/.test(text) ? text : `@${text}`, cliProcess);

/** Parses `key:Label:Type`, also with `:required` or `:optional` at the end. A label can contain colons, because the other parts cannot. */
function formField(text: string, index: number): object {
  const parts = text.split(':');
  const last = parts.at(-1)?.toLowerCase();
  const required = last === 'required';
  if (required || last === 'optional') parts.pop();
  if (parts.length < 3) {
    throw invalidField(`form_fields.${index}`, `must be key:Label:Type or key:Label:Type:required, not ${text}`);
  }
  const type = wordLike(FIELD_TYPES, parts.pop() ?? '');
  const [key, ...label] = parts;
  return { key, label: label.join(':'), type, required };
}

/** Parses a list of `name=$.path` into rows. An object would lose one of two rows with the same name, which the domain refuses. */
function responseFieldMap(entries: readonly string[]): readonly object[] {
  return entries.map((entry) => {
    const equals = entry.indexOf('=');
    if (equals < 1) throw invalidField('response_field_map', `must be name=$.path, not ${entry}`);
    return { name: entry.slice(0, equals), path: entry.slice(equals + 1) };
  });
}
