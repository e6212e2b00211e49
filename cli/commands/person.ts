import type { Command } from 'commander';
import { countPerson, erasePerson, remainingUntil } from '../../src/domain/operations/erase-person.ts';
import { findPerson, type ReadPorts, recordsOf, recordsOfOrganization } from '../../src/domain/operations/person.ts';
import { type CommandRun, confirmed, type Run } from '../command-run.ts';
import { safeJson } from '../plain-text.ts';
import { collect, type Moment, moment, textValue, timeOf } from '../values.ts';

const IDS = 'an id of the person; repeat it for each, or @file, or @- for stdin, with an id on each line';

const WHAT_MATCHES = `
An id is a user id, a visitor id, a conversation id, an email address, an IP address, or any other value that identifies the person to
the customer. It is found as a whole, as the name or value of a field at any depth of a payload or response, also as a number; in a
response that is not JSON, as a word. Upper and lower case differ. The conversations that the person began are found by user id and
visitor id, and then the deliveries that name these conversations or their sessions.`;

type EraseOptions = { org: string; user: readonly string[]; dryRun?: true; yes?: true };

/** Adds `erase`. */
export function addEraseCommand(command: Command, run: Run): void {
  command
    .requiredOption('--org <org_id>', 'the organization')
    .requiredOption('--user <id>', IDS, collect)
    .option('--dry-run', 'erase nothing; count what would be erased')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `${WHAT_MATCHES}

The command removes payload and response from the delivery records, and erases conversations and the counters of IP addresses. First stop
what writes such data. It takes at least 30 seconds, and reads the records of attempts in progress again. After an interruption, run it
again. It reads the organization's whole delivery log and the whole conversations table. It prints until when copies remain that it does
not reach: messages in queues and dead-letter queues, and backups.

Examples:
  va-wave erase --org org_… --user u-1842 --user ada@example.com --dry-run
  va-wave erase --org org_… --user @ids.txt --yes`,
    )
    .action((options: EraseOptions) =>
      run(async (commandRun) => {
        const person = { orgId: options.org, ids: await idsOf(options.user, commandRun) };
        const { output } = commandRun;
        const ports = await commandRun.deployment();
        if (options.dryRun || options.yes === undefined) {
          const found = await countPerson(person, ports);
          if (options.dryRun) return output.object({ org_id: options.org, ...found }, 'Found; nothing was changed');
          const { records, conversations } = found;
          const what = `the content of ${records} delivery records, and ${conversations} conversations`;
          await confirmed(commandRun, undefined, `Erase ${what}, of ${options.org}?`);
        }
        const erased = await erasePerson(person, ports);
        output.object({ org_id: options.org, ...erased, remaining: remainingUntil(ports.now()) }, 'Erased');
        if (erased.unfinished > 0) {
          output.note('Attempts were in progress. Run the command again when they have ended.');
        }
      }),
    );
}

type ExportOptions = { org: string; user?: readonly string[]; since?: Moment; file?: string };

/** Adds `export`. */
export function addExportCommand(command: Command, run: Run): void {
  command
    .requiredOption('--org <org_id>', 'the organization')
    .option('--user <id>', `only one person's data: ${IDS}`, collect)
    .option(
      '--since <time>',
      'only records of events since this time: 30m, 1h or 2d ago, or 2026-03-04T05:06:00Z',
      moment,
    )
    .option('--file <path>', 'write to this file, which appears when it is complete (default: stdout)')
    .addHelpText(
      'after',
      `${WHAT_MATCHES}

Each line is an object whose "kind" is "delivery" (one attempt, as in deliveries --json) or "conversation". The conversations come first. Then
the logs of the Actions and of the usage webhooks follow one after the other, each with the newest event first. The export has payloads
and responses, and no secret and no signature. It holds few records in memory at a time. An interrupted export writes no file.

Examples:
  va-wave export --org org_… --file log.jsonl
  va-wave export --org org_… --user u-1842 --user ada@example.com | gzip > person.jsonl.gz`,
    )
    .action((options: ExportOptions) =>
      run(async (commandRun) => {
        const { cliProcess, output } = commandRun;
        const ids = options.user && (await idsOf(options.user, commandRun));
        const ports = await commandRun.deployment();
        const from = options.since && timeOf(options.since, ports.now());
        let lines = 0;
        const exported = async function* () {
          for await (const value of ids === undefined
            ? deliveries(recordsOfOrganization(options.org, from, ports))
            : dataOf({ orgId: options.org, ids }, from, ports)) {
            lines += 1;
            yield `${safeJson(value, { compact: true })}\n`;
          }
        };
        await cliProcess.writeLines(options.file, exported());
        output.note(`Exported ${lines} lines`);
      }),
    );
}

async function* dataOf(person: Parameters<typeof findPerson>[0], from: string | undefined, ports: ReadPorts) {
  const { conversations, logs, placeOf } = await findPerson(person, ports);
  for (const conversation of conversations) yield { kind: 'conversation', ...conversation };
  for await (const delivery of deliveries(recordsOf(logs, from, ports))) {
    if (placeOf(delivery) !== undefined) yield delivery;
  }
}

async function* deliveries(records: ReturnType<typeof recordsOf>) {
  for await (const record of records) yield { kind: 'delivery', ...record };
}

/** Returns the ids of the options, and those of the files that they name. */
async function idsOf(values: readonly string[], { cliProcess }: CommandRun): Promise<readonly string[]> {
  const texts = await Promise.all(
    values.map(async (value) => {
      const text = await textValue('user', value, cliProcess);
      return value.startsWith('@') ? text.split(/\r?\n/).filter((line) => line !== '') : text;
    }),
  );
  return texts.flat();
}
