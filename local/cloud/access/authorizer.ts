import { randomBytes } from 'node:crypto';
import {
  appliesTo,
  type ConditionSets,
  isAbout,
  matchesWildcard,
  type PolicyStatement,
  patternsOfKeys,
} from './policies.ts';

/** A statement of a role, with the place in the template that a report can name. */
export type RoleStatement = {
  /** Logical id of the role. */
  readonly role: string;
  /** Position among all the role's statements, in the order of the template. */
  readonly index: number;
  readonly statement: PolicyStatement;
};

export type IamRole = {
  readonly logicalId: string;
  readonly arn: string;
  readonly trust: readonly PolicyStatement[];
  readonly statements: readonly RoleStatement[];
};

/** The caller of an AWS API. The operator may do everything, a function what its role allows, a service what resource policies allow. */
export type Caller =
  | { readonly kind: 'operator' }
  | {
      readonly kind: 'function';
      readonly functionId: string;
      /** `arn:aws:sts::…:assumed-role/<role>/<function>` */
      readonly sessionArn: string;
      readonly role: IamRole;
    }
  | { readonly kind: 'service'; readonly service: string; readonly sourceArn: string };

export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };
/** The callers by the ids of their access keys. Functions have new keys in each run, so that keys of an earlier run are invalid. */
export type AccessKeys = Map<string, Caller>;

/** Creates a key. The gateway does not check the secret: on loopback, the key id identifies the caller. */
export function newCredentials(): Credentials {
  return {
    accessKeyId: `LOCAL${randomBytes(10).toString('hex').toUpperCase().slice(0, 15)}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
}

export type Check = { readonly action: string; readonly resource: string; readonly sets?: ConditionSets | undefined };

export type Denial = Check & {
  /** Logical id of the function, or the name of an AWS service. */
  readonly caller: string;
  /** The message of AWS. */
  readonly message: string;
};

export type Grant = Check & {
  readonly caller: string;
  /** The statement of the caller's role that allowed it; undefined when a resource policy did. */
  readonly statement?: { readonly role: string; readonly index: number };
};

export type ResourcePolicy = { readonly arn: string; readonly statements: readonly PolicyStatement[] };

/** The condition keys of every call. No call leaves the machine, so plain HTTP counts as secure transport. */
const ALWAYS: Readonly<Record<string, string>> = { 'aws:securetransport': 'true' };

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

  mayAssume(role: IamRole, service: string): boolean {
    const request = { action: 'sts:AssumeRole', resource: role.arn, keys: ALWAYS };
    return isAllowed(role.trust.filter((statement) => isAbout(statement, service) && appliesTo(statement, request)));
  }

  /** Checks a call and records the decision. @returns undefined when the call is allowed, otherwise the denial */
  check(caller: Caller, { action, resource, sets }: Check): Denial | undefined {
    if (caller.kind === 'operator') return undefined;
    const storedSets = caller.kind === 'function' ? decisiveSets(caller.role, sets) : sets;
    const source = caller.kind === 'service' ? caller.sourceArn : '';
    const question = `${principalOf(caller)} ${source} ${action} ${resource} ${JSON.stringify(storedSets)}`;
    if (!this.#decisions.has(question)) this.#decisions.set(question, this.#decide(caller, { action, resource, sets }));
    return this.#decisions.get(question);
  }

  #decide(caller: Exclude<Caller, { kind: 'operator' }>, { action, resource, sets }: Check): Denial | undefined {
    const isService = caller.kind === 'service';
    const name = isService ? caller.service : caller.functionId;
    const keys = isService ? { ...ALWAYS, 'aws:sourcearn': caller.sourceArn } : ALWAYS;
    const request = { action, resource, keys, sets };
    const service = isService ? caller.service : undefined;
    const byRole = isService ? [] : caller.role.statements.filter(({ statement }) => appliesTo(statement, request));
    const byResource = this.#resourcePolicies
      .filter(({ arn }) => arn === resource)
      .flatMap(({ statements }) => statements)
      .filter((statement) => isAbout(statement, service) && appliesTo(statement, request));
    const applicable = [...byRole.map(({ statement }) => statement), ...byResource];
    if (isAllowed(applicable)) {
      const [first] = byRole;
      const statement = first && { statement: { role: first.role, index: first.index } };
      this.grants.push({ caller: name, action, resource, ...statement });
      return undefined;
    }
    const because =
      applicable.length > 0
        ? 'of an explicit deny'
        : `no ${isService ? 'resource' : 'identity'}-based policy allows the ${action} action`;
    const message = `User: ${principalOf(caller)} is not authorized to perform: ${action} on resource: ${resource} because ${because}`;
    const denial = { caller: name, action, resource, message };
    this.denials.push(denial);
    this.#onDenial(denial);
    return denial;
  }
}

/** Returns in place of the partition keys of a call the patterns of the role that they match, because keys are without number, and every decision is stored. */
function decisiveSets({ statements }: IamRole, { 'dynamodb:LeadingKeys': keys = [], ...sets }: ConditionSets = {}) {
  const patterns = statements.flatMap(({ statement }) => patternsOfKeys(statement) ?? []);
  const matchedPatterns = patterns.filter((pattern) => keys.some((key) => matchesWildcard(pattern, key)));
  return { ...sets, 'dynamodb:LeadingKeys': matchedPatterns };
}

/** One Deny overrides every Allow, and without an Allow nothing is allowed. */
const isAllowed = (applicable: readonly PolicyStatement[]): boolean =>
  applicable.length > 0 && applicable.every(({ Effect }) => Effect === 'Allow');

const principalOf = (caller: Exclude<Caller, { kind: 'operator' }>): string =>
  caller.kind === 'function' ? caller.sessionArn : caller.service;
