import { CommanderError } from 'commander';
import { Refusal } from '../src/domain/refusal.ts';

/** What a script can tell from how a command ended. */
export const EXIT = {
  done: 0,
  /** The service or the connection to it, not what was asked for. */
  fault: 1,
  /** Wrong words on the command line, or an input that a rule of the service refuses. */
  refused: 2,
  /** No such organization, assistant, Action, stack or local cloud. */
  notFound: 3,
  /** `action test`: the request was made and failed. */
  testFailed: 4,
  /** Something that cannot be undone: the answer was no, or there was nobody to ask and no `--yes`. */
  notConfirmed: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For --help. */
export const EXIT_CODES_HELP = `Exit codes:
  0  done
  1  fault of the service or of the connection to it
  2  refused: wrong options, or an input against the rules (the message names the field)
  3  not found
  4  action test: the endpoint did not accept the test request
  5  not confirmed: the answer was no, or there is no terminal to ask at and no --yes; nothing was changed`;

/** Something the operator can act on, told in one message. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Message and exit code of whatever ended a command. */
export function failureOf(error: unknown): { readonly message: string; readonly exitCode: ExitCode } {
  if (error instanceof CommandFailure) return error;
  if (error instanceof Refusal) {
    return { message: error.message, exitCode: error.status === 404 ? EXIT.notFound : EXIT.refused };
  }
  if (error instanceof CommanderError) {
    return {
      message: error.message.replace(/^error: /, ''),
      exitCode: error.exitCode === 0 ? EXIT.done : EXIT.refused,
    };
  }
  return { message: faultMessage(error), exitCode: EXIT.fault };
}

/** The SDK's errors by name and code: their classes differ from client to client. */
function faultMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  switch (error.name) {
    case 'CredentialsProviderError':
      return 'No AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; --local talks to the cloud that npm start runs';
    case 'ExpiredToken':
    case 'ExpiredTokenException':
      return 'The AWS credentials have expired: log in again';
    case 'UnrecognizedClientException':
    case 'InvalidClientTokenId':
      return 'These AWS credentials are not known there: check AWS_PROFILE and the region, or start the local cloud again';
    case 'ResourceNotFoundException':
      return `The deployment lacks something that its outputs name: ${error.message}`;
  }
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'ENOTFOUND' || error.name === 'TimeoutError') {
    return `The deployment does not answer (${code || error.name}): is it running, and the network up?`;
  }
  if (error.message === 'Region is missing')
    return 'No AWS region: give --region, or set AWS_REGION; --local is the service that npm start runs';
  return `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`;
}
