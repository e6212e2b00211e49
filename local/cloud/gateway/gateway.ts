import type { IncomingMessage } from 'node:http';
import type { Authorizer } from '../access/authorizer.ts';
import type { AccessKeys } from '../access/callers.ts';
import { REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import { type HttpAnswer, readBody } from '../listener.ts';
import { type AwsRequest, type AwsResponse, type AwsService, requireAllowed, ServiceError } from './aws-request.ts';
import { jsonRefusal } from './json-protocol.ts';
import type { WaitingCalls } from './waiting-calls.ts';

type GatewayOptions = {
  readonly keys: AccessKeys;
  readonly authorizer: Authorizer;
  /** The services by their names in the credential scope of a signed request: `dynamodb`, `sqs`, … */
  readonly services: Readonly<Record<string, AwsService>>;
  readonly waiting: WaitingCalls;
  /** Called with one line about each call that the local cloud cannot answer. */
  readonly onFault: (message: string) => void;
};

/** The largest request of any service: DynamoDB accepts 16 MB, Lambda 6 MB. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** `AWS4-HMAC-SHA256 Credential=<key id>/<date>/<region>/<service>/aws4_request, …` */
const CREDENTIAL = /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\/aws4_request/;

/** The single endpoint of all AWS services. It identifies the caller and performs the calls that the caller's policies allow. */
export class Gateway {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /**
   * Answers a signed request. The access key identifies the caller. The signature is not checked, because a program that reaches a
   * loopback address can also read the keys.
   */
  async answer(request: IncomingMessage): Promise<HttpAnswer> {
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body === undefined) return { status: 413, headers: {}, body: 'Request Entity Too Large' };
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(',');
    }
    return this.call({ method: request.method ?? 'GET', path: request.url ?? '/', headers, body });
  }

  /** Answers a signed call as `answer` does. Never throws: a fault of ours is an answer with status 500. */
  async call(request: AwsRequest): Promise<AwsResponse> {
    const { keys, services, authorizer, waiting, onFault } = this.#options;
    const [, accessKeyId = '', region, name = ''] = CREDENTIAL.exec(request.headers.authorization ?? '') ?? [];
    const service = services[name];
    const refuse = service?.refuse ?? jsonRefusal;
    const caller = keys.get(accessKeyId);
    // An invocation waits for another function, and not for the gateway.
    const end = caller?.kind === 'function' && name !== 'lambda' ? waiting.begin() : undefined;
    try {
      if (caller === undefined) {
        throw new ServiceError('UnrecognizedClientException', 'The security token included in the request is invalid.');
      }
      if (region !== REGION) {
        throw new ServiceError('ValidationException', `The local cloud is in ${REGION}, not in ${region}`);
      }
      if (service === undefined) {
        throw new ServiceError('UnknownOperationException', `The local cloud does not know the service ${name}`);
      }
      const call = service.understand(request);
      for (const check of call.checks) requireAllowed(authorizer, caller, check);
      return await call.perform();
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        onFault(`${name}: ${error instanceof Error ? error.stack : messageOf(error)}`);
        return refuse(new ServiceError('InternalFailure', messageOf(error), 500));
      }
      if (error.code === 'UnknownOperationException') onFault(error.message);
      return refuse(error);
    } finally {
      end?.();
    }
  }
}
