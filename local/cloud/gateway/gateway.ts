import type { Authorizer } from '../access/authorizer.ts';
import type { AccessKeys } from '../access/callers.ts';
import { REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import { type AwsRequest, type AwsResponse, type AwsService, jsonRefusal, ServiceError } from './aws-request.ts';
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
  async answer(request: Omit<AwsRequest, 'caller'>): Promise<AwsResponse> {
    const [, accessKeyId = '', region, service = ''] = CREDENTIAL.exec(request.headers.authorization ?? '') ?? [];
    const caller = this.#options.keys.holder(accessKeyId);
    if (caller === undefined) {
      const error = new ServiceError(
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      );
      return (this.#options.services[service]?.refuse ?? jsonRefusal('1.0'))(error);
    }
    if (region !== REGION) {
      return jsonRefusal('1.0')(
        new ServiceError('ValidationException', `The local cloud is in ${REGION}, not in ${region}`),
      );
    }
    return this.#call(service, { ...request, caller });
  }

  /** Answers a call whose caller is known. Never throws: a fault of ours is an answer with status 500. */
  async #call(serviceName: string, request: AwsRequest): Promise<AwsResponse> {
    const service = this.#options.services[serviceName];
    if (service === undefined) {
      const error = new ServiceError(
        'UnknownOperationException',
        `The local cloud does not know the service ${serviceName}`,
      );
      this.#options.onFault(error.message);
      return jsonRefusal('1.0')(error);
    }
    // An invocation waits for another function, and not for the gateway.
    const counts = request.caller.kind === 'function' && serviceName !== 'lambda';
    const end = counts ? this.#options.waiting.begin() : undefined;
    try {
      const call = service.understand(request);
      for (const check of call.checks) {
        const denial = this.#options.authorizer.check(request.caller, check);
        if (denial !== undefined) return service.refuse(new ServiceError('AccessDeniedException', denial.message));
      }
      return await call.perform();
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        this.#options.onFault(
          `${serviceName}: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`,
        );
        return service.refuse(new ServiceError('InternalFailure', messageOf(error), 500));
      }
      if (error.code === 'UnknownOperationException') this.#options.onFault(error.message);
      return service.refuse(error);
    } finally {
      end?.();
    }
  }
}
