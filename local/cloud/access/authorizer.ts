import { ACCOUNT } from '../account.ts';
import { type Caller, callerName, type Role } from './callers.ts';
import type { PolicyStatement } from './policy-document.ts';
import { appliesTo, isAbout } from './statements.ts';

export type Check = { readonly action: string; readonly resource: string };

/** A kind of call that was refused. */
export type Denial = Check & {
  /** Logical id of the function, `operator` or the name of an AWS service. */
  readonly caller: string;
  /** The message of AWS. */
  readonly message: string;
};

/** A kind of call that was allowed. */
export type Grant = Check & {
  readonly caller: string;
  /** The statement of the caller's role that allowed it; undefined when a resource policy did. */
  readonly statement?: { readonly role: string; readonly index: number };
};

/** The policy of a queue or a function. */
export type ResourcePolicy = { readonly arn: string; readonly statements: readonly PolicyStatement[] };

/** Allows or denies every call as IAM does within one account, and records each decision once. The operator may do everything. */
export class Authorizer {
  /** In the order of the first refusals. */
  readonly denials: Denial[] = [];
  readonly grants: Grant[] = [];
  readonly #resourcePolicies: readonly ResourcePolicy[];
  readonly #onDenial: (denial: Denial) => void;
  /** By caller, action and resource. A decision does not change during a run. */
  readonly #decisions = new Map<string, Denial | undefined>();

  /** @param onDenial called with each kind of call that is refused, once */
  constructor(resourcePolicies: readonly ResourcePolicy[] = [], onDenial: (denial: Denial) => void = () => {}) {
    this.#resourcePolicies = resourcePolicies;
    this.#onDenial = onDenial;
  }

  /** Returns true when this service, such as `lambda.amazonaws.com`, may assume the role. */
  mayAssume(role: Role, service: string): boolean {
    const request = { action: 'sts:AssumeRole', resource: role.arn, keys: ALWAYS };
    return isAllowed(role.trust.filter((statement) => isAbout(statement, service) && appliesTo(statement, request)));
  }

  /** Checks a call and records the decision. @returns undefined when the call is allowed, otherwise the denial */
  check(caller: Caller, { action, resource }: Check): Denial | undefined {
    if (caller.kind === 'operator') return undefined;
    const source = caller.kind === 'service' ? caller.sourceArn : '';
    const question = `${arnOf(caller)} ${source} ${action} ${resource}`;
    if (!this.#decisions.has(question)) this.#decisions.set(question, this.#decide(caller, { action, resource }));
    return this.#decisions.get(question);
  }

  #decide(caller: Exclude<Caller, { kind: 'operator' }>, { action, resource }: Check): Denial | undefined {
    const isService = caller.kind === 'service';
    const keys = isService ? { ...ALWAYS, 'aws:sourcearn': caller.sourceArn } : ALWAYS;
    const request = { action, resource, keys };
    const service = isService ? caller.service : undefined;
    const byRole = isService ? [] : caller.role.statements.filter(({ statement }) => appliesTo(statement, request));
    const byResource = this.#resourcePolicies
      .filter(({ arn }) => arn === resource)
      .flatMap(({ statements }) => statements)
      .filter((statement) => isAbout(statement, service) && appliesTo(statement, request));
    const applicable = [...byRole.map(({ statement }) => statement), ...byResource];
    if (isAllowed(applicable)) {
      const [by] = byRole;
      const statement = by === undefined ? {} : { statement: { role: by.role, index: by.index } };
      this.grants.push({ caller: callerName(caller), action, resource, ...statement });
      return undefined;
    }
    const because =
      applicable.length > 0
        ? 'of an explicit deny'
        : `no ${isService ? 'resource' : 'identity'}-based policy allows the ${action} action`;
    const message = `User: ${arnOf(caller)} is not authorized to perform: ${action} on resource: ${resource} because ${because}`;
    const denial = { caller: callerName(caller), action, resource, message };
    this.denials.push(denial);
    this.#onDenial(denial);
    return denial;
  }
}

/** One Deny overrides every Allow, and without an Allow nothing is allowed. */
const isAllowed = (applicable: readonly PolicyStatement[]): boolean =>
  applicable.length > 0 && applicable.every(({ Effect }) => Effect === 'Allow');

/** The condition keys of every call. No call leaves the machine, so plain HTTP counts as secure transport. */
const ALWAYS: Readonly<Record<string, string>> = { 'aws:securetransport': 'true' };

function arnOf(caller: Caller): string {
  if (caller.kind === 'function') return caller.sessionArn;
  return caller.kind === 'service' ? caller.service : `arn:aws:iam::${ACCOUNT}:user/operator`;
}
