import {
  type Assistant,
  type AssistantSettings,
  AUTHENTICATION_MODES,
  ESCALATION_TOPIC_PREFIX,
} from '../../src/contract/assistants.ts';
import { FORM_SUBMISSIONS_PER_HOUR, NAME_MAX_CHARACTERS } from '../../src/contract/limits.ts';
import {
  createAssistant,
  requireAssistant,
  setByOperator,
  updateAssistant,
} from '../../src/domain/organizations/manage-assistants.ts';
import { requireExisting } from '../../src/domain/organizations/manage-organizations.ts';
import { type CliCommand, FieldOption } from '../command.ts';
import { assistantToErase, eraseAssistant } from '../operations/erase.ts';
import { type Row, statusOf } from '../output.ts';
import { type GivenOptions, givenSettings, type SettingOptions, withSettings } from '../settings.ts';
import { collect, namedChange, requireOne, wholeNumberOf, wordLike } from '../values.ts';

const SETTINGS: SettingOptions<AssistantSettings> = {
  name: { flags: '--name <name>', text: `at most ${NAME_MAX_CHARACTERS} characters`, isRequired: true },
  domain: {
    flags: '--domain <host>',
    text: "the host where the widget is embedded, '' for none; browsers allow its requests only from there",
    isRequired: true,
  },
  enabled: {
    flags: '--enable',
    text: 'switch it on',
    clearOption: ['--disable', 'switch it off: the service refuses its widget and its server secret', false],
  },
  hourly_rate_limit: {
    flags: '--rate-limit <number>',
    text: 'requests per hour',
    parse: wholeNumberOf,
    isRequired: true,
  },
  authentication_mode: {
    flags: '--mode <mode>',
    text: `${AUTHENTICATION_MODES.join(' or ')} (a paid feature); session-signed is accepted too`,
    parse: (text) => wordLike(AUTHENTICATION_MODES, text),
  },
  allowed_domains: {
    flags: '--allowed-domain <host>',
    text: 'host or host:port that the service accepts, at first the Domain; the page must also be on the Domain',
    isList: true,
    clearOption: ['--clear-allowed-domains', 'allow no website', []],
  },
  ip_allowlist: {
    flags: '--ip <address>',
    text: 'IPv4 or IPv6 address of visitors for the IP allowlist',
    isList: true,
    clearOption: ['--clear-ip-allowlist', 'allow any address', []],
  },
  form_order: {
    flags: '--form <action_id>',
    text: 'Form that the widget shows before others, in this order',
    isList: true,
    clearOption: ['--clear-form-order', 'show the forms in the order of their creation', null],
  },
};

export function addTo(assistant: CliCommand): void {
  const create = assistant
    .command('create')
    .description('create an assistant')
    .requiredOption('--org <org_id>', 'organization that it belongs to');
  withSettings(create, SETTINGS, true)
    .examples('va-wave assistant create --org org_… --name Shop --domain shop.example --rate-limit 1000')
    .withDeployment(async ({ output, context, cliProcess }, options: GivenOptions & { readonly org: string }) => {
      const settings = await givenSettings(SETTINGS, options, cliProcess);
      const createdAssistant = await createAssistant(options.org, settings, context);
      output.object(printedAssistant(createdAssistant), 'Created the assistant');
      output.note(embeddingTag(createdAssistant, context.baseUrl));
    });

  const update = assistant.command('update <site_id>').description('change settings; other settings stay unchanged');
  withSettings(update, SETTINGS, false)
    .examples('va-wave assistant update site_… --mode session-signed --rate-limit 5000')
    .withDeployment(async ({ output, context, cliProcess }, siteId: string, options: GivenOptions) => {
      const change = namedChange(await givenSettings(SETTINGS, options, cliProcess));
      const changedAssistant = await updateAssistant(await requireAssistant(siteId, context), change, context);
      output.object(printedAssistant(changedAssistant), 'Changed the assistant');
    });

  assistant
    .command('escalation <site_id>')
    .description('set the SNS topics that receive form submissions in addition to the endpoint')
    .addOption(
      new FieldOption(
        'escalation_topics',
        '--topic <arn>',
        `topic whose name starts with ${ESCALATION_TOPIC_PREFIX}; may be repeated`,
        collect,
      ),
    )
    .option('--none', 'no escalation channel')
    .examples(
      `va-wave assistant escalation site_… --topic arn:aws:sns:eu-west-1:111122223333:${ESCALATION_TOPIC_PREFIX}shop`,
    )
    .withDeployment(
      async ({ output, context }, siteId: string, options: { topic?: readonly string[]; none?: true }) => {
        requireOne([options.topic, options.none], 'Give either --none, or --topic for each topic');
        const changedAssistant = await setByOperator(siteId, 'escalation_topics', options.topic ?? [], context);
        output.object(printedAssistant(changedAssistant), 'Changed the escalation channels');
      },
    );

  assistant
    .command('form-limit <site_id>')
    .description(
      `limit the form submissions of all visitors together; ${FORM_SUBMISSIONS_PER_HOUR} per hour unless set`,
    )
    .addOption(
      new FieldOption('form_submissions_per_hour', '--per-hour <number>', 'submissions in a clock hour', wholeNumberOf),
    )
    .option('--none', 'the default')
    .examples('va-wave assistant form-limit site_… --per-hour 20000')
    .withDeployment(
      async ({ output, context }, siteId: string, { perHour, none }: { perHour?: number; none?: true }) => {
        requireOne([perHour, none], 'Give either --per-hour or --none');
        const changedAssistant = await setByOperator(siteId, 'form_submissions_per_hour', perHour ?? null, context);
        output.object(printedAssistant(changedAssistant), 'Changed the limit');
      },
    );

  assistant
    .command('show <site_id>')
    .description('show the settings of an assistant, and the tag that embeds its widget')
    .examples('va-wave assistant show site_… --json')
    .withDeployment(async ({ output, context }, siteId: string) => {
      const assistant = await requireAssistant(siteId, context);
      output.object(printedAssistant(assistant), 'Assistant');
      output.note(embeddingTag(assistant, context.baseUrl));
    });

  assistant
    .command('delete <site_id>')
    .description('erase an assistant, its Actions, and all data of its visitors')
    .notes(`The command erases the data of visitors in conversations and delivery logs. It takes at least 30 seconds. After an interruption, run it
again to continue. Backups of the tables keep all data for up to 35 days, and an archive of events for its days.`)
    .examples('va-wave assistant delete site_…')
    .withDeployment(async ({ output, context, confirm }, siteId: string) => {
      const { name } = await assistantToErase(siteId, context);
      await confirm(`Erase the assistant ${name} (${siteId}) and all data of its visitors?`, siteId);
      output.object({ site_id: siteId, ...(await eraseAssistant(siteId, context)) }, 'Erased the assistant');
    });

  assistant
    .command('list')
    .description('list the assistants of an organization')
    .requiredOption('--org <org_id>', 'organization')
    .examples('va-wave assistant list --org org_…')
    .withDeployment(async ({ output, context }, { org }: { org: string }) => {
      await requireExisting(org, context);
      const assistantList = await context.store.listAssistants(org);
      const assistants = assistantList.assistants.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
      output.list(
        assistants.map(printedAssistant),
        'No assistants',
        assistants.map(assistantRow),
        assistantList.unreadable,
      );
    });
}

function embeddingTag(assistant: Assistant, baseUrl: string): string {
  const credential =
    assistant.authentication_mode === 'Session Signed'
      ? 'data-session-token="…"'
      : `data-site-id="${assistant.site_id}"`;
  return `Embed it with: <script async src="${baseUrl}/static/va-wave-widget.js" ${credential}></script>`;
}

function printedAssistant({ site_id, org_id, server_secret, ...rest }: Assistant): object {
  return { site_id, org_id, ...rest, server_secret: server_secret ? { last_six: server_secret.last_six } : null };
}

const assistantRow = (assistant: Assistant): Row => ({
  site_id: assistant.site_id,
  status: statusOf(assistant),
  mode: assistant.authentication_mode,
  domain: assistant.domain,
  name: assistant.name,
});
