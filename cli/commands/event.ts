import type { Command } from 'commander';
import { EVENT_CATALOG, EVENT_NAMES } from '../../src/contract/events.ts';
import { putEvent } from '../../src/domain/events/put-event.ts';
import type { Run } from '../command-run.ts';
import { jsonValue } from '../values.ts';
import { addEventHistory } from './event-history.ts';

/** Adds the commands for events of the catalog. */
export function addEventCommands(event: Command, run: Run): void {
  event
    .command('put <event>')
    .description('put an event on the bus for an organization or for one of its assistants')
    .requiredOption('--org <org_id>', 'organization')
    .option('--site <site_id>', 'assistant; without it, the event belongs to the organization')
    .option('--data <json>', "the event's data: JSON, @file, or @- for stdin", '{}')
    .addHelpText(
      'after',
      `
Examples:
  va-wave event put conversation.started --org org_… --site site_… --data '{"conversation_id": "c1"}'
  va-wave event put contact.created --org org_… --data @contact.json`,
    )
    .action((name: string, options: { org: string; site?: string; data: string }) =>
      run(async ({ output, deployment, cliProcess }) => {
        const data = await jsonValue('data', options.data, cliProcess);
        const site = options.site === undefined ? {} : { site_id: options.site };
        const sent = await putEvent({ event: name, org_id: options.org, ...site, data }, await deployment());
        output.object(sent, 'Put the event on the bus');
        if (sent.reserved) output.note(`Warning: ${name} is reserved: it is never delivered`);
        else if (sent.subscribed.length === 0) output.note(`Warning: no enabled Action is subscribed to ${name}`);
      }),
    );

  addEventHistory(event, run);

  event
    .command('list')
    .description('list the events of the catalog; needs no deployment')
    .addHelpText('after', '\nExample:\n  va-wave event list')
    .action(() =>
      run(async ({ output }) => {
        const events = EVENT_NAMES.map((name) => ({ event: name, ...EVENT_CATALOG[name] }));
        output.list(
          events.map(({ event: name, group, firesWhen, reserved }) => ({
            event: name,
            group,
            fires_when: firesWhen,
            reserved,
          })),
          '',
          events.map(({ event: name, group, firesWhen, reserved }) => ({
            event: name,
            group,
            'fires when': reserved ? `${firesWhen} (reserved: never delivered)` : firesWhen,
          })),
        );
      }),
    );
}
