import { Argument } from 'commander';
import { FUNCTIONS } from '../../src/deployment/outputs.ts';
import type { CliCommand } from '../command.ts';
import type { LogName } from '../deployment.ts';
import { type Moment, moment, sinceOption, sinceTime } from '../values.ts';

export function addTo(command: CliCommand): void {
  command
    .addArgument(
      new Argument('<function>', 'the function; api is the access log of the API').choices([...FUNCTIONS, 'api']),
    )
    .addOption(sinceOption('only lines since').default(moment('1h'), '1h'))
    .option('--containing <text>', 'only lines that contain this text')
    .notes(`Lines contain ids, but never a payload, a secret or a token.`)
    .examples('va-wave logs dispatcher --containing "could not be written"', 'va-wave logs api --since 10m')
    .withDeployment(async ({ output, context }, name: LogName, options: { since: Moment; containing?: string }) => {
      output.showProgress('Reading the log');
      const since = new Date(sinceTime(options.since, context.now()));
      let lines = 0;
      for await (const line of context.logLines(name, { since, searchedText: options.containing })) {
        lines++;
        output.entry(line, line.text);
      }
      if (lines === 0) output.note('No matching lines in this time');
    });
}
