import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { ListSecretVersionIdsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { until } from '../../harness/until.ts';
import { type DocumentedCommand, documentedCommands } from '../../unit/docs/documented-commands.ts';
import { operatorOf } from '../acceptance/operator.ts';
import { deployedService } from './deployed-service.ts';
import { describeEmulated } from './emulated-account.ts';
import { installPrograms } from './programs.ts';

const PATIENCE_MS = 30_000;
/** What execFile throws for a command that ends with another exit code than 0. */
const failedCommand = z.object({ code: z.int(), stdout: z.string(), stderr: z.string() });
const root = fileURLToPath(new URL('../../../', import.meta.url));

const EMULATOR_CANNOT: readonly { readonly command: RegExp; readonly answer: RegExp }[] = [
  { command: /request-service-quota-increase/, answer: /when calling the RequestServiceQuotaIncrease operation/ },
  { command: /redrive deliveries$/, answer: /InvalidAction/ },
];

/** releases.night.test.ts and regions.night.test.ts bring a stack into the situations of these sections. */
const ELSEWHERE = /^(?:Releases|Loss of a region)$/;

/** The emulated account has the quotas of a new one. */
const FOUND_TOO_LITTLE = /doctor --deliveries-per-second/;

/** What the output of a command must contain. The other commands only have to succeed. */
const SHOWS: readonly (readonly [command: RegExp, output: RegExp])[] = [
  [FOUND_TOO_LITTLE, /To do first: concurrent executions/],
  [/va-wave doctor/, /stack VaWave +(?:CREATE_COMPLETE|UPDATE_COMPLETE|none)/],
  [/redrive deliveries --dry-run/, /message\.sent|act_/],
  [/event trace/, /delivered/],
  [/deliveries <action_id> <event_id>/, /outcome +delivered/],
  [/logs widget-init .*Refused/, /origin_not_allowed/],
  [/org list --stack Trial/, /No organizations/],
  [/action secret/, /whsec_/],
  [/action test/, /200/],
  [/update-continuous-backups/, /"PointInTimeRecoveryStatus": "ENABLED"/],
  [/update-time-to-live/, /"Enabled": true/],
  [/describe-table/, /"TableStatus": "ACTIVE"[\s\S]*"DeletionProtectionEnabled": true/],
];

type Subject = {
  readonly org_id: string;
  readonly site_id: string;
  readonly action_id: string;
  readonly event_id: string;
};
type Ran = { readonly code: number; readonly output: string };

/**
 * Follows a page in an emulated account, command by command: each that it states runs in a shell, with the real names of a deployed production
 * stack. A command that the emulator cannot run is in EMULATOR_CANNOT, with the emulator's answer.
 * @param isLast whether a section is followed after all others; they follow in the page's order
 * @param before commands of other pages that the reader has run before
 */
export const describePage = (
  path: string,
  isLast: (heading: string) => boolean = () => false,
  before: readonly string[] = [],
) =>
  describeEmulated(`the commands of ${path}`, (account) => {
    const stated = documentedCommands(path).filter(
      ({ heading, text }, index, all) =>
        !ELSEWHERE.test(heading) && index === all.findIndex((other) => other.text === text),
    );
    const commands = [
      ...stated.filter(({ heading }) => !isLast(heading)),
      ...stated.filter(({ heading }) => isLast(heading)),
    ];
    const work = join(account.folder, 'work');

    beforeAll(async () => {
      mkdirSync(work);
      symlinkSync(join(root, 'examples'), join(work, 'examples'));
      installPrograms(join(account.folder, 'bin'), root);
      for (const text of before) expect([text, await run(text)]).toEqual([text, expect.objectContaining({ code: 0 })]);
    });

    const service = () => deployedService(account.ministack, 'VaWave');

    /** Runs a text in a shell, as an operator does. @returns the exit code, and everything that it printed */
    async function shell(text: string): Promise<Ran> {
      try {
        const { stdout, stderr } = await promisify(execFile)('sh', ['-c', text], {
          cwd: work,
          maxBuffer: 64 * 1024 ** 2,
          env: {
            ...account.ministack.environment(join(account.folder, 'bin')),
            CDK_APP: 'node test/service/deploy/app.ts prod',
            CDK_OUTPUT: join(account.folder, 'cdk.out'),
            CDK_REQUIRE_APPROVAL: 'never',
          },
        });
        return { code: 0, output: stdout + stderr };
      } catch (error) {
        const { code, stdout, stderr } = failedCommand.parse(error);
        return { code, output: stdout + stderr };
      }
    }

    /** Runs a command. When it asks for a confirmation and cannot have one, it runs again with the option that gives it. */
    async function run(text: string): Promise<Ran> {
      const ran = await shell(text);
      if (/^npx --no-install va-wave /.test(text) && ran.code === 5) return shell(`${text} --yes`);
      if (/^npx cdk destroy/.test(text) && /TTY/.test(ran.output)) return shell(`${text} --force`);
      return ran;
    }

    const subjects = new Map<string, Promise<Subject>>();
    /** What is deleted again after a table was restored. */
    const AGAIN = { org: 'An organization to delete again', assistant: 'An assistant to delete again' } as const;
    /** The output of the earlier commands of each section. */
    const printed = new Map<string, string>();

    /** Creates an organization with an assistant and an Action, to which an event was delivered, for the commands of one section. */
    async function createSubject(): Promise<Subject> {
      const { outputs } = await service();
      const { url: gatewayUrl, region, credentials } = account.ministack;
      const operator = operatorOf({ gatewayUrl, region, credentials, outputs });
      const org_id = await operator.createOrganization('Documents', 'paid');
      const site_id = await operator.createAssistant(org_id, {
        domain: 'a.example',
        hourlyRateLimit: 1000,
        allowedDomains: ['a.example'],
      });
      const settings = {
        trigger: 'Event',
        name: 'Documents',
        url: account.receiver.url('/documents'),
        events: ['message.sent'],
      } as const;
      const action_id = await operator.createAction(site_id, settings);
      await operator.putEvent({ name: 'message.sent', orgId: org_id, siteId: site_id, data: {} });
      await until(async () => (await operator.deliveries(action_id))[0]?.state === 'succeeded', PATIENCE_MS);
      const [record] = await operator.deliveries(action_id);
      return { org_id, site_id, action_id, event_id: record?.reference ?? '' };
    }

    async function subjectOf(heading: string): Promise<Subject> {
      const subject = subjects.get(heading) ?? createSubject();
      subjects.set(heading, subject);
      return subject;
    }

    /** The physical name of a resource of the stack. */
    async function resource(type: string): Promise<string> {
      const { aws } = await service();
      const { StackResources = [] } = await new CloudFormationClient(aws).send(
        new DescribeStackResourcesCommand({ StackName: 'VaWave' }),
      );
      const found = StackResources.find(({ ResourceType = '' }) => new RegExp(`^AWS::${type}$`).test(ResourceType));
      if (found?.PhysicalResourceId === undefined) throw new Error(`The stack has no ${type}`);
      return found.PhysicalResourceId;
    }

    const output = async (name: string) => (await service()).outputs[name] ?? '';

    /** The value of a placeholder: what an operator reads from the output of the section's earlier commands, or from the stack. */
    async function valueFor(name: string, { heading, text }: DocumentedCommand): Promise<string> {
      const [, outputName] = /^(\w+) output$/.exec(name) ?? [];
      if (outputName === 'DistributionId') return 'E2EXAMPLE';
      if (outputName !== undefined) return output(outputName);
      const before = printed.get(heading) ?? '';
      const [deletion] = /(?:org|assistant) delete .*va-wave-restored/.exec(text) ?? [];
      // Later commands of the section are about what was not deleted.
      const about = deletion === undefined ? heading : AGAIN[deletion.startsWith('org') ? 'org' : 'assistant'];
      const last = (pattern: RegExp) =>
        deletion === undefined ? [...before.matchAll(pattern)].at(-1)?.[0] : undefined;
      const values: Readonly<Record<string, () => string | Promise<string>>> = {
        org_id: async () => last(/\borg_[a-z2-7]{20}/g) ?? (await subjectOf(about)).org_id,
        site_id: async () => last(/\bsite_[a-z2-7]{20}/g) ?? (await subjectOf(about)).site_id,
        action_id: async () => last(/\bact_[a-z2-7]{20}/g) ?? (await subjectOf(heading)).action_id,
        event_id: async () => (await subjectOf(heading)).event_id,
        'version id': () => last(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g) ?? '',
        'its version id': async () => previousVersion(await output(OUTPUTS.originSecret)),
        'ARN of the old sealing key': () => output(OUTPUTS.sealingKey),
        pk: async () => `ORG#${(await subjectOf(heading)).org_id}`,
        sk: () => 'ORG',
        address: () => 'admin@operations.example',
        endpoint: () => account.receiver.url('/documents'),
        'topic ARN': () => `arn:aws:sns:us-east-1:${'0'.repeat(12)}:va-wave-alarms`,
        // The emulator has no access log in which this request could be found.
        'X-Request-Id of an answer': () => 'Rq8wLhd1oAMEP3w=',
        'receipt handle': () => last(/\S{36,}$/gm) ?? '',
        login: () => login(),
        'name at the provider': () => 'person',
        name: () => (text.startsWith('aws logs') ? resource('Logs::LogGroup') : resource('DynamoDB::(?:Global)?Table')),
        id: () => output(OUTPUTS.userPool),
        ARN: () =>
          heading === 'Requests'
            ? `arn:aws:wafv2:us-east-1:${'0'.repeat(12)}:global/webacl/va-wave/1`
            : output(OUTPUTS.tokenKeys),
        'mapping id': () => resource('Lambda::EventSourceMapping'),
        'rule name': async () => (await resource('Events::Rule')).split('|').at(-1) ?? '',
        'archive name': () => ARCHIVE,
        'archive ARN': () => eventsArn(`archive/${ARCHIVE}`),
        'bus ARN': async () => eventsArn(`event-bus/${await output(OUTPUTS.eventBus)}`),
        policy: () => 'boundary',
        qualifier: () => 'trial',
        bucket: () => 'left-behind',
      };
      const value = values[name];
      if (value === undefined) throw new Error(`${heading}: the placeholder <${name}> has no value in this test`);
      return value();
    }

    /** The emulator does not create an archive by CloudFormation. */
    const ARCHIVE = 'catalog';
    const eventsArn = async (name: string) =>
      `arn:aws:events:${(await service()).aws.region}:${'0'.repeat(12)}:${name}`;

    async function previousVersion(SecretId: string): Promise<string> {
      const secrets = new SecretsManagerClient((await service()).aws);
      const { Versions = [] } = await secrets.send(new ListSecretVersionIdsCommand({ SecretId }));
      return Versions.find(({ VersionStages }) => VersionStages?.includes('AWSPREVIOUS'))?.VersionId ?? '';
    }

    /** Creates a login. @returns its id, which `va-wave member list` shows */
    async function login(): Promise<string> {
      const orgId = (await subjectOf('Logins')).org_id;
      const { output: added } = await shell(
        `npx --no-install va-wave member add --org ${orgId} --email gone@a.example --role member`,
      );
      return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(added)?.[0] ?? '';
    }

    /** Brings the stack into the situation that an entry describes. */
    const SITUATIONS: Readonly<Record<string, () => Promise<void>>> = {
      'Dead letters': async () => {
        const { aws, outputs } = await service();
        const { action_id, site_id, org_id, event_id } = await subjectOf('Dead letters');
        const envelope = {
          id: event_id,
          event: 'message.sent',
          timestamp: '2026-03-04T05:06:00Z',
          data: {},
          site_id,
          org_id,
        };
        const MessageBody = JSON.stringify({ version: 1, action_id, attempt: 1, envelope });
        await new SQSClient(aws).send(
          new SendMessageCommand({ QueueUrl: outputs[OUTPUTS.deliveriesDeadLetters], MessageBody }),
        );
      },
      'Events missing': async () => {
        const bus = await eventsArn(`event-bus/${await output(OUTPUTS.eventBus)}`);
        await account.ministack.aws(['events', 'create-archive', '--archive-name', ARCHIVE, '--event-source-arn', bus]);
      },
      Canary: async () => {
        expect(await run('npx cdk deploy -c canary=true')).toMatchObject({ code: 0 });
      },
      'My widget does not appear': async () => {
        const { apiUrl } = await service();
        const { site_id } = await subjectOf('My widget does not appear');
        await fetch(`${apiUrl}/api/widget/init`, {
          method: 'POST',
          headers: { 'x-site-id': site_id, origin: 'https://wrong.example' },
        });
      },
      'Recover a table': async () => {
        // What the restored table must contain.
        for (const subject of ['Recover a table', ...Object.values(AGAIN)]) await subjectOf(subject);
      },
      'New accounts': async () => {
        await account.ministack.aws(['s3', 'mb', 's3://left-behind']);
        writeFileSync(join(work, 'page.html'), 'page');
        await account.ministack.aws(['s3', 'cp', join(work, 'page.html'), 's3://left-behind/page.html']);
      },
    };

    const named = commands.map((command) => [`${command.heading}: ${command.text}`, command] as const);
    test.each(named)('%s', async (_, command) => {
      const { heading, text } = command;
      if (!printed.has(heading)) await SITUATIONS[heading]?.();
      let filled = text;
      for (const [placeholder, name = ''] of text.matchAll(/<([\w -]+)>/g)) {
        filled = filled.replace(placeholder, await valueFor(name, command));
      }
      const { code, output: out } = await run(filled);
      printed.set(heading, `${printed.get(heading) ?? ''}${out}`);
      const cannot = EMULATOR_CANNOT.find(({ command: pattern }) => pattern.test(text));
      if (cannot !== undefined) {
        expect([code, out]).not.toEqual([0, out]);
        expect(out).toMatch(cannot.answer);
        process.stderr.write(`The emulator cannot run: ${text}\n  its answer: ${out.trim().split('\n').at(-1)}\n`);
        return;
      }
      const expected = FOUND_TOO_LITTLE.test(text) ? 2 : 0;
      expect([filled, code, code === expected ? '' : out]).toEqual([filled, expected, '']);
      for (const [pattern, shown] of SHOWS) if (pattern.test(text)) expect(out).toMatch(shown);
    });
  });
