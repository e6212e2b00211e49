import * as z from 'zod';
import { FUNCTIONS } from '../../src/deployment/outputs.ts';
import { parseJson } from '../../src/domain/parse-json.ts';
import type { CliCommand } from '../command.ts';
import type { LogName } from '../deployment.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { type Moment, moment, sinceOption, sinceTime } from '../values.ts';

/** The canary, whose log not every deployment has, asks for nothing of a customer. */
const LOGS = [...FUNCTIONS.filter((name) => name !== 'canary'), 'api'] as const;

/** The ids of a request in the access log (`request_id`) and in the lines of the function that answered it. */
const requestLine = z.object({
  request_id: z.string().optional(),
  api_request_id: z.string().optional(),
  function_request_id: z.string().optional(),
  action_id: z.string().optional(),
  reference: z.string().optional(),
});

/** Returns whether CloudWatch has no such log group, or the stack no output for it. */
const isMissingLog = (error: unknown): error is Error =>
  (error instanceof CommandFailure && error.exitCode === EXIT.fault) ||
  (error instanceof Error && error.name === 'ResourceNotFoundException');

export function addTo(command: CliCommand): void {
  command
    .argument('<id>', 'X-Request-Id or Apigw-Requestid of an answer, submission_id, event id, or any other id')
    .addOption(sinceOption('only lines since').default(moment('1d'), '1d'))
    .notes(`The command searches the logs of all functions and of the API for the id, and for the other ids of the requests that it finds. A delivery that
succeeds leaves no line, but a record: event trace and deliveries show it.`)
    .examples('va-wave trace 6a7e8f90-…', 'va-wave trace 6a7e8f90-… --since 6h --json')
    .withDeployment(async ({ output, context, hint }, id: string, options: { readonly since: Moment }) => {
      const since = new Date(sinceTime(options.since, context.now()));
      const lines = new Map<string, { readonly log: string; readonly time: string; readonly text: string }>();
      const attempts = new Set<string>();
      const ids = new Set([id]);
      const missingLogs = new Map<LogName, Error>();
      const search = async (log: LogName, searchedText: string) => {
        output.showProgress(`Searching the log of ${log}`);
        for await (const { time, text } of context.logLines(log, { since, searchedText })) {
          lines.set(`${log} ${time} ${text}`, { log, time, text });
          const { data = {} } = requestLine.safeParse(parseJson(text));
          const { request_id, api_request_id = request_id, function_request_id, action_id, reference } = data;
          // An invocation for messages has those of others too, so its id leads no further. API Gateway writes a dash for what a request does not have.
          const requestIds = api_request_id === undefined ? [] : [api_request_id, function_request_id ?? '-'];
          for (const other of requestIds) if (other !== '-') ids.add(other);
          if (action_id !== undefined && reference !== undefined) attempts.add(`${action_id} ${reference}`);
        }
      };
      // What is added meanwhile is searched too. A log that is gone keeps no other from being searched.
      for (const one of ids) {
        for (const log of LOGS) {
          await search(log, one).catch((error: unknown) => {
            if (!isMissingLog(error)) throw error;
            missingLogs.set(log, error);
          });
        }
      }
      const inOrder = [...lines.values()].sort((a, b) => a.time.localeCompare(b.time));
      for (const line of inOrder) output.entry(line, `${line.log}  ${line.text}`);
      const searchedLogs = missingLogs.size === 0 ? '' : ' of the other logs';
      if (lines.size === 0) output.note(`No line${searchedLogs} has ${id} since ${since.toISOString()}`);
      for (const log of missingLogs.keys()) output.note(`The log of ${log} was not searched`);
      for (const attempt of attempts) output.note(`Its record: ${hint(`deliveries ${attempt}`)}`);
      for (const error of missingLogs.values()) throw error;
    });
}
