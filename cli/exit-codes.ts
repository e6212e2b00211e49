import { CommanderError } from 'commander';
import { Refusal } from '../src/domain/refusal.ts';

export const EXIT = { done: 0, fault: 1, refused: 2, notFound: 3, testFailed: 4, notConfirmed: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODES_HELP = `Exit codes:
  0  done
  1  fault of the service or of the connection to it
  2  refused: wrong options, or an input that the service refuses (the message names the field)
  3  not found
  4  action test: the endpoint did not accept the test request
  5  not confirmed: the answer was no, or there is neither a terminal nor --yes; nothing was changed`;

/** A failure that the operator can correct. Its message says how. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function commandFailureOf(error: unknown): { readonly message: string; readonly exitCode: ExitCode } {
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

/** Describes errors of the AWS SDK by name and code, because each client has its own classes. */
function faultMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  switch (error.name) {
    case 'TokenProviderError':
    case 'CredentialsProviderError':
      // The SDK has no code for an ended login of IAM Identity Center.
      if (/expired|sso login/i.test(error.message))
        return 'Your login to AWS has ended: log in again, as with aws sso login';
      return `No AWS credentials: ${error.message.replace(/\.$/, '')}. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (aws sts get-caller-identity shows what a profile gives); use --local for the service that npm start runs`;
    case 'ExpiredToken':
    case 'ExpiredTokenException':
      return 'The AWS credentials have expired: log in again';
    case 'UnrecognizedClientException':
    case 'InvalidClientTokenId':
      return 'The deployment does not know these AWS credentials: check AWS_PROFILE and the region, or restart the one-machine service';
    case 'ResourceNotFoundException':
      return `A resource in the outputs of the deployment does not exist: ${error.message}`;
  }
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'ENOTFOUND' || error.name === 'TimeoutError') {
    return `The deployment does not answer (${code || error.name}): check that it is running, and check the network`;
  }
  if (error.message === 'Region is missing')
    return 'No AWS region: give --region, set AWS_REGION, or let AWS_PROFILE name a profile with a region; use --local for the service that npm start runs';
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/.test(code))
    return `${error.message}: name the certificate authority of your network in AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS`;
  return `${['Error', 'ServiceError'].includes(error.name) ? '' : `${error.name}: `}${error.message}`;
}
