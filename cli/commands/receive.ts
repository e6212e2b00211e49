import { once } from 'node:events';
import type { Server } from 'node:https';
import { InvalidArgumentError, Option } from 'commander';
import { invalidField } from '../../src/domain/refusal.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import { CommandFailure, commandFailureOf, EXIT } from '../exit-codes.ts';
import type { CommandOutput } from '../output.ts';
import type { CliProcess } from '../process.ts';
import {
  closeServer,
  forwardTo,
  type ReceivedAction,
  type ReceiverAnswer,
  type ReceiverRequest,
  receiverServer,
} from '../receiver.ts';
import { collect, duration, jsonValue, numberFrom, positive, textValue } from '../values.ts';

const LOOPBACK = '127.0.0.1';
const LOCAL_NAMES = ['localhost', LOOPBACK];
const DEFAULT_PORT = 8443;
const MINUTE_MS = 60_000;
/** A timer of Node cannot wait longer than 24 days, and no service waits for an hour. */
const DELAY_MAX_MS = 60 * MINUTE_MS;

type Options = {
  readonly port: number;
  readonly status: number;
  readonly times?: number;
  readonly delay: number;
  readonly body: string;
  readonly usageSecret?: readonly string[];
  readonly forward?: URL;
};

/** As many characters of an answer as the delivery log keeps. */
const SHOWN_CHARACTERS = 2000;

export function addTo(command: CliCommand): void {
  command
    .option('--port <number>', 'port on localhost', numberFrom(1, 65_535), DEFAULT_PORT)
    .option('--status <number>', 'answer with this status', numberFrom(200, 599), 200)
    .option(
      '--times <number>',
      'use --status and --delay only for this many verified requests; later requests get 200',
      positive,
    )
    .option('--delay <time>', 'wait this long before the answer, such as 6s; the service waits 5 seconds', delay, 0)
    .option('--body <json>', 'answer with this: JSON, @file, or @- for stdin', '{"received": true}')
    .option(
      '--usage-secret <secret>',
      'verify usage webhooks with the secret that session create received; @file, or @- for stdin; may be repeated',
      collect,
    )
    .addOption(
      new Option(
        '--forward <url>',
        'pass every request on to your server, such as http://localhost:8000/actions, and show its answer',
      )
        .argParser(httpUrl)
        .conflicts(['status', 'times', 'delay', 'body']),
    )
    .notes(`Give Actions the address that it prints, with any path. Requests are verified with the signing secrets of the Actions that have
their address, whatever the organization; what is not verified is answered 400, 401 or 404. A usage webhook may have any path. With --forward, your server gets the bytes and headers of every request,
verified or not, and its answer is the answer.
Press Ctrl-C to stop.`)
    .examples(
      'va-wave receive --local',
      'va-wave receive --local --status 503 --times 2',
      'va-wave receive --local --delay 6s --times 1',
      'va-wave receive --local --forward http://localhost:8000/actions',
      `va-wave receive --local --body '{"order": {"status": "ready"}}'`,
      `va-wave receive --local --usage-secret @usage-secret.txt --body '{"should_continue": false}'`,
    )
    .withDeployment(async ({ output, context, cliProcess }, options: Options) => {
      const { receiverTls } = context;
      if (receiverTls === undefined) {
        throw new CommandFailure(
          EXIT.refused,
          'receive works only with --local, and with a service that was started without --strict: no other trusts and reaches this machine',
        );
      }
      const body = JSON.stringify(await jsonValue('body', options.body, cliProcess));
      let verifiedRequests = 0;
      const server = receiverServer({
        tls: {
          cert: await cliProcess.readFile(receiverTls.certificate),
          key: await cliProcess.readFile(receiverTls.key),
        },
        actionsAt: (path) => actionsAt(context, options.port, path),
        usageSecret: await usageSecrets(options.usageSecret ?? [], cliProcess),
        now: context.now,
        answer: () =>
          ++verifiedRequests <= (options.times ?? Number.POSITIVE_INFINITY)
            ? { status: options.status, body, delayMs: options.delay }
            : { status: 200, body },
        forward: options.forward && forwardTo(options.forward),
        onFault: (error) =>
          output.note(`Answered 503, because the service does not answer: ${commandFailureOf(error).message}`),
        onRequest: (received, answer) => print(printedRequest(received, answer, options.forward !== undefined), output),
      });
      await listen(server, options.port);
      const place = `Receiving at https://localhost:${options.port}/ with any path`;
      const further = options.forward === undefined ? '' : `, forwarding to ${options.forward.href}`;
      output.note(`${place}${further}. Press Ctrl-C to stop`);
      // Until Ctrl-C. How long one pause takes does not matter.
      while (await cliProcess.pause(MINUTE_MS));
      await closeServer(server);
    });
}

/** Reads the secrets of usage webhooks, without the line end of a file. @throws Refusal 400 for an empty secret */
async function usageSecrets(texts: readonly string[], cliProcess: CliProcess): Promise<readonly string[]> {
  const contents = await Promise.all(texts.map((text) => textValue('usage-secret', text, cliProcess)));
  const secrets = contents.map((content) => content.replace(/\r?\n$/, ''));
  if (secrets.includes('')) throw invalidField('usage-secret', 'must not be empty');
  return secrets;
}

/** Reads the Actions whose endpoint is this port and path of this machine. It reads all Actions for each request, to find new ones; one machine has few. */
async function actionsAt(context: ConnectedRun['context'], port: number, path: string) {
  const matchingActions: ReceivedAction[] = [];
  for await (const { organizations } of context.store.listOrganizations()) {
    for (const { org_id } of organizations) {
      for (const action of (await context.store.listActions(org_id)).actions) {
        const url = new URL(action.url);
        if (!LOCAL_NAMES.includes(url.hostname) || Number(url.port || 443) !== port) continue;
        if (url.pathname + url.search !== path) continue;
        matchingActions.push({ ...action, signingSecret: await context.openSigningSecret(action) });
      }
    }
  }
  return matchingActions;
}

/** Listens on loopback. @throws CommandFailure when the port is in use */
async function listen(server: Server, port: number): Promise<void> {
  await once(server.listen(port, LOOPBACK), 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    const advice = 'Stop the program that listens on it, or choose another port with --port';
    throw new CommandFailure(EXIT.refused, `Port ${port} is in use. ${advice}`);
  });
}

type Printed = ReturnType<typeof printedRequest>;

/** Returns a received request as the command prints it. Absent values are null. The trigger and its reference are those of the delivery log. */
function printedRequest(
  { at, method, path, verdict, key, arrivals, body }: ReceiverRequest,
  answer: ReceiverAnswer,
  isForwarded: boolean,
) {
  const usage = verdict.kind === 'usage' ? verdict.report : undefined;
  const action = verdict.kind === 'action' ? verdict : undefined;
  return {
    at: at.toISOString(),
    method,
    path,
    answered: answer.status,
    /** The answer of the developer's own server. */
    answer: isForwarded ? Buffer.from(answer.body).toString().slice(0, SHOWN_CHARACTERS) : null,
    verified: verdict.kind !== 'refused',
    action_id: action?.action.action_id ?? null,
    name: action?.action.name ?? null,
    trigger: usage === undefined ? (action?.request.trigger ?? null) : 'usage',
    /** The reference of a usage webhook is its session. */
    trigger_ref: usage?.session_id ?? action?.request.triggerRef ?? null,
    user_id: usage?.user_id ?? null,
    deduplication_key: key,
    arrival: arrivals.count,
    problem: verdict.kind === 'refused' ? verdict.problem : null,
    body,
  };
}

function print(request: Printed, output: CommandOutput): void {
  const { at, method, path, verified: isVerified, problem, answered: answerStatus, answer, arrival, body } = request;
  const what = isVerified ? `verified: ${requestSubject(request)}` : `NOT VERIFIED: ${problem}`;
  const repeat = arrival > 1 ? `, arrival ${arrival} of ${request.deduplication_key}` : '';
  const timeOfDay = at.slice(11, 19);
  const line = `${timeOfDay} ${method} ${path} ${what}${repeat}; answered ${answerStatus}`;
  const answerLines = answer === null || answer === '' ? [] : [`  answer: ${answer.trimEnd()}`];
  output.entry(request, line, ...(body === '' ? [] : [`  ${body}`]), ...answerLines);
}

function requestSubject({ trigger, trigger_ref, user_id, name, action_id }: Printed): string {
  return trigger === 'usage'
    ? `usage of ${user_id}, session ${trigger_ref}`
    : `${trigger} ${trigger_ref}, of ${name} (${action_id})`;
}

function delay(text: string): number {
  const milliseconds = duration(text);
  if (milliseconds > DELAY_MAX_MS) throw new InvalidArgumentError('It must be at most 1h.');
  return milliseconds;
}

function httpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It must be an address with http:// or https://.');
  }
  return url;
}
