import type { AccessKeys, Authorizer, Caller } from './access/authorizer.ts';
import type { ConditionSets } from './access/policies.ts';
import { REGION } from './account.ts';
import { messageOf } from './cloud-error.ts';
import { documentedProblem } from './constraints/documented-limits.ts';
import { modelProblem } from './constraints/model-constraints.ts';
import { type JsonRecord, parseObject } from './json.ts';
import type { HttpAnswer, ListenerRequest } from './listener.ts';

export type AwsRequest = Omit<ListenerRequest, 'client'>;
/** Demands that the policies of a caller allow an action on a resource. @throws ServiceError when they do not */
export type Demand = (action: string, resource: string, sets?: ConditionSets) => void;

export type AwsService = {
  /** Answers a call, of which it first demands all actions. @throws ServiceError when the call is malformed, unknown or refused */
  answer(request: AwsRequest, demand: Demand): Promise<HttpAnswer>;
  refuse(error: AwsError): HttpAnswer;
};

/** An error that the gateway answers in the format of AWS. */
export class AwsError extends Error {
  override readonly name = 'ServiceError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export const demandOf =
  (authorizer: Authorizer, caller: Caller): Demand =>
  (action, resource, sets) => {
    const denial = authorizer.check(caller, { action, resource, sets });
    if (denial !== undefined) throw new AwsError('AccessDeniedException', denial.message);
  };

/** The error for an operation that is not emulated. Doing nothing would look like success. */
export class UnknownOperation extends AwsError {
  constructor(service: string, operation: string) {
    super('UnknownOperationException', `The local cloud does not know ${service} ${operation}`);
  }
}

const CONNECTION_HEADERS = /^(connection|content-length|expect|host|transfer-encoding)$/;

/** Returns the headers of a call that go on to an engine, or of its answer that go on to the client. */
export function endToEndHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const passedHeaders: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !CONNECTION_HEADERS.test(name)) passedHeaders[name] = value;
  }
  return passedHeaders;
}

export type JsonCall = {
  readonly operation: string;
  readonly parameters: JsonRecord;
  readonly demand: Demand;
  readonly request: AwsRequest;
};

/** An operation of a JSON protocol, which first demands its actions. @throws ServiceError on parameters that the service refuses */
export type AwsOperation = (call: JsonCall) => Promise<HttpAnswer> | HttpAnswer;

/** The codes with which services refuse what their models do not allow, where it is not ValidationException. */
const MODEL_REFUSALS: Readonly<Record<string, string>> = {
  'cognito-idp': 'InvalidParameterException',
  secretsmanager: 'InvalidParameterException',
  sqs: 'InvalidParameterValue',
};

/** @throws AwsError when the parameters exceed a limit that AWS documents */
export function requireDocumented(...subject: Parameters<typeof documentedProblem>): void {
  const problem = documentedProblem(...subject);
  if (problem !== undefined) throw new AwsError(problem.code, problem.message);
}

/** Returns a service that speaks one of AWS's JSON protocols, and takes what AWS's models of its operations allow. @param name of the service */
export function jsonService(name: string, operations: Readonly<Record<string, AwsOperation>>): AwsService {
  const operationsByName = new Map(Object.entries(operations));
  return {
    refuse: jsonRefusal,
    async answer(request, demand) {
      const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
      const parameters = parseObject(request.body.toString('utf8') || '{}');
      if (operation === '' || parameters === undefined) {
        throw new AwsError('SerializationException', 'The request is not a call in an AWS JSON protocol');
      }
      const perform = operationsByName.get(operation);
      if (perform === undefined) throw new UnknownOperation(name, operation);
      const problem = modelProblem(name, operation, parameters);
      if (problem !== undefined) throw new AwsError(MODEL_REFUSALS[name] ?? 'ValidationException', problem);
      return perform({ operation, parameters, demand, request });
    },
  };
}

export const jsonResponse = (value: object, status = 200): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(value),
});

/** Returns an error as the JSON protocols answer it. Services differ in how they write the name of the message, so it has both. */
export const jsonRefusal = (error: AwsError): HttpAnswer =>
  jsonResponse({ __type: error.code, message: error.message, Message: error.message }, error.status);

/** Called with each answered call, and the service by its name in the credential scope. */
export type CallObserver = (service: string, request: AwsRequest, answer: HttpAnswer) => void;

type GatewayOptions = {
  readonly keys: AccessKeys;
  readonly authorizer: Authorizer;
  /** The services by their names in the credential scope of a signed request: `dynamodb`, `sqs`, … */
  readonly services: Readonly<Record<string, AwsService>>;
  /** Called with one line about each call that the local cloud cannot answer. */
  readonly onFault: (message: string) => void;
  readonly onCall?: CallObserver | undefined;
};

/** `AWS4-HMAC-SHA256 Credential=<key id>/<date>/<region>/<service>/aws4_request, …` */
const CREDENTIAL = /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\/aws4_request/;

/**
 * The gateway, its engines and all functions share the processors, and a function gives a call up after two or three seconds and repeats it. So no
 * batch of a queue's messages begins while this many calls of functions wait. They keep the gateway busy: a call takes about a millisecond.
 */
const WAITING_CALLS_MAX = 32;

/** The single endpoint of all AWS services. It identifies the caller and performs the calls that the caller's policies allow. */
export function gateway({ keys, services, authorizer, onFault, onCall }: GatewayOptions) {
  let waitingCalls = 0;
  const ready: (() => void)[] = [];
  return {
    /** Resolves as soon as fewer calls wait than may wait when a batch begins. */
    ready: async (): Promise<void> => {
      if (waitingCalls >= WAITING_CALLS_MAX) await new Promise<void>((resolve) => ready.push(resolve));
    },

    /**
     * Answers a signed request. The access key identifies the caller. The signature is not checked, because a program that reaches a
     * loopback address can also read the keys. Never throws: a fault of ours is an answer with status 500.
     */
    call: async (request: AwsRequest): Promise<HttpAnswer> => {
      const [, accessKeyId = '', region, name = ''] = CREDENTIAL.exec(request.headers.authorization ?? '') ?? [];
      const service = services[name];
      const refuse = service?.refuse ?? jsonRefusal;
      const caller = keys.get(accessKeyId);
      // An invocation waits for another function, and not for the gateway.
      const isWaiting = caller?.kind === 'function' && name !== 'lambda';
      if (isWaiting) waitingCalls += 1;
      try {
        if (caller === undefined) {
          throw new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.');
        }
        if (region !== REGION) {
          throw new AwsError('ValidationException', `The local cloud is in ${REGION}, not in ${region}`);
        }
        if (service === undefined) throw new UnknownOperation('the service', name);
        const demand = demandOf(authorizer, caller);
        let hasDemanded = false;
        const answer = await service.answer(request, (...action) => {
          hasDemanded = true;
          demand(...action);
        });
        // Without this, a permission that a function lacks would be missed first on AWS.
        if (!hasDemanded && answer.status === 200) throw new Error('The operation has demanded no permission');
        onCall?.(name, request, answer);
        return answer;
      } catch (error) {
        if (error instanceof UnknownOperation) onFault(error.message);
        if (error instanceof AwsError) return refuse(error);
        onFault(`${name}: ${error instanceof Error ? error.stack : messageOf(error)}`);
        return refuse(new AwsError('InternalFailure', messageOf(error), 500));
      } finally {
        if (isWaiting) waitingCalls -= 1;
        if (isWaiting && waitingCalls < WAITING_CALLS_MAX) for (const resolve of ready.splice(0)) resolve();
      }
    },
  };
}
