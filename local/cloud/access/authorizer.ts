import { ACCOUNT } from '../account.ts';
import { type Caller, callerName, type Role, type RoleStatement } from './callers.ts';
import type { ConditionKeys } from './conditions.ts';
import { evaluate, statementsAbout } from './evaluate.ts';
import type { PolicyStatement } from './policy-document.ts';

/** A call that was refused. */
export type Denial = {
  /** Logical id of the function, `operator` or the name of an AWS service. */
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** The message of AWS. */
  readonly message: string;
};

/** A call that was allowed, once per caller, action and resource. */
export type Grant = {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** The statement of the caller's role that allowed it; undefined when a resource policy did. */
  readonly statement?: { readonly role: string; readonly index: number };
};

export type Check = { readonly action: string; readonly resource: string };

/** Allows or denies every call as IAM does within one account, and records each decision. */
export class Authorizer {
  /** Every refused call since the start. */
  readonly denials: Denial[] = [];
  readonly #grants = new Map<string, Grant>();
  readonly #resourcePolicies = new Map<string, PolicyStatement[]>();
  /** Allowed calls of each caller, by action and resource. A decision does not change during a run. */
  #allowed = new WeakMap<Caller, Set<string>>();
  readonly #onDenial: (denial: Denial) => void;

  constructor(options: { readonly onDenial: (denial: Denial) => void }) {
    this.#onDenial = options.onDenial;
  }

  /** Every allowed call since the start, once per caller, action and resource, without the operator's calls. */
  get grants(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /** Adds statements to the policy of a queue or a function. */
  addResourcePolicy(resourceArn: string, statements: readonly PolicyStatement[]): void {
    this.#resourcePolicies.set(resourceArn, [...(this.#resourcePolicies.get(resourceArn) ?? []), ...statements]);
    this.#allowed = new WeakMap();
  }

  /** Returns true when this service, such as `lambda.amazonaws.com`, may assume the role. */
  mayAssume(role: Role, service: string): boolean {
    const request = { action: 'sts:AssumeRole', resource: role.arn, keys: ALWAYS };
    return evaluate(statementsAbout(role.trust, service), request).effect === 'allow';
  }

  /** Checks a call and records the decision. @returns undefined when the call is allowed, otherwise the denial */
  check(caller: Caller, { action, resource }: Check): Denial | undefined {
    if (caller.kind === 'operator') return undefined;
    const question = `${action} ${resource}`;
    const allowed = this.#allowed.get(caller);
    if (allowed?.has(question) === true) return undefined;
    const denial = this.#decide(caller, action, resource);
    if (denial === undefined) this.#allowed.set(caller, (allowed ?? new Set()).add(question));
    return denial;
  }

  #decide(caller: Exclude<Caller, { kind: 'operator' }>, action: string, resource: string): Denial | undefined {
    const request = {
      action,
      resource,
      keys: caller.kind === 'service' ? { ...ALWAYS, 'aws:sourcearn': caller.sourceArn } : ALWAYS,
    };
    const about = statementsAbout(
      this.#resourcePolicies.get(resource) ?? [],
      caller.kind === 'service' ? caller.service : undefined,
    );
    const byResource = evaluate(about, request);
    const own = caller.kind === 'function' ? caller.role.statements : [];
    const byIdentity = evaluate(
      own.map(({ statement }) => statement),
      request,
    );
    const denied = byResource.effect === 'deny' || byIdentity.effect === 'deny';
    if (!denied && byIdentity.effect === 'allow') {
      return this.#allow(
        caller,
        action,
        resource,
        own.find(({ statement }) => statement === byIdentity.statement),
      );
    }
    if (!denied && byResource.effect === 'allow') return this.#allow(caller, action, resource, undefined);
    const policies = caller.kind === 'service' ? 'resource-based' : 'identity-based';
    const because = denied ? 'of an explicit deny' : `no ${policies} policy allows the ${action} action`;
    const message = `User: ${arnOf(caller)} is not authorized to perform: ${action} on resource: ${resource} because ${because}`;
    const denial = { caller: callerName(caller), action, resource, message };
    this.denials.push(denial);
    this.#onDenial(denial);
    return denial;
  }

  #allow(caller: Caller, action: string, resource: string, by: RoleStatement | undefined): undefined {
    const name = callerName(caller);
    const key = `${name} ${action} ${resource} ${by?.index ?? ''}`;
    if (this.#grants.has(key)) return;
    const statement = by === undefined ? {} : { statement: { role: by.role, index: by.index } };
    this.#grants.set(key, { caller: name, action, resource, ...statement });
  }
}

/** The condition keys of every call. No call leaves the machine, so plain HTTP counts as secure transport. */
const ALWAYS: ConditionKeys = { 'aws:securetransport': 'true' };

function arnOf(caller: Caller): string {
  if (caller.kind === 'function') return caller.sessionArn;
  return caller.kind === 'service' ? caller.service : `arn:aws:iam::${ACCOUNT}:user/operator`;
}
