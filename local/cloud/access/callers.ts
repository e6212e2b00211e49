import { randomBytes } from 'node:crypto';
import type { PolicyStatement } from './policy-document.ts';

/** A statement of a role, with the place in the template that a report can name. */
export type RoleStatement = {
  /** Logical id of the role. */
  readonly role: string;
  /** Position among all the role's statements, in the order of the template. */
  readonly index: number;
  readonly statement: PolicyStatement;
};

export type Role = {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly trust: readonly PolicyStatement[];
  readonly statements: readonly RoleStatement[];
};

/** The caller of an AWS API. The operator may do everything, a function what its role allows, a service what resource policies allow. */
export type Caller =
  | { readonly kind: 'operator' }
  | {
      readonly kind: 'function';
      /** Logical id of the function. */
      readonly functionId: string;
      /** `arn:aws:sts::…:assumed-role/<role>/<function>` */
      readonly sessionArn: string;
      readonly role: Role;
    }
  | { readonly kind: 'service'; readonly service: string; readonly sourceArn: string };

/** The access key of a caller. */
export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** Returns a caller's name for messages and reports. */
export function callerName(caller: Caller): string {
  if (caller.kind === 'operator') return 'operator';
  return caller.kind === 'function' ? caller.functionId : caller.service;
}

/** Creates a key. The gateway does not check the secret: on loopback, the key id identifies the caller. */
export function newCredentials(): Credentials {
  return {
    accessKeyId: `LOCAL${randomBytes(10).toString('hex').toUpperCase().slice(0, 15)}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
}

/** The callers by the ids of their access keys. Functions have new keys in each run, so that keys of an earlier run are invalid. */
export type AccessKeys = Map<string, Caller>;
