import { randomBytes } from 'node:crypto';
import type { CallsUnderWay } from './calls-under-way.ts';
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

/** Whoever makes a call. The operator may do everything; a role what its policies say; a service what resource policies say. */
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

/** How a caller is called in messages and reports. */
export function callerName(caller: Caller): string {
  if (caller.kind === 'operator') return 'operator';
  return caller.kind === 'function' ? caller.functionId : caller.service;
}

type Holder = { readonly caller: Caller; readonly calls: CallsUnderWay | undefined };

/** Access keys of this run: fresh each time, so that nothing can be left over from another. */
export class AccessKeys {
  readonly #holders = new Map<string, Holder>();

  /**
   * A new key for this caller. The secret half is never checked: on loopback the id alone tells who calls.
   * @param calls counts the calls with this key
   */
  issue(caller: Caller, calls?: CallsUnderWay): Credentials {
    const accessKeyId = `LOCAL${randomBytes(10).toString('hex').toUpperCase().slice(0, 15)}`;
    this.#holders.set(accessKeyId, { caller, calls });
    return { accessKeyId, secretAccessKey: randomBytes(30).toString('base64url') };
  }

  /** Whose key this is, or undefined. */
  holder(accessKeyId: string): Holder | undefined {
    return this.#holders.get(accessKeyId);
  }

  /** Makes a key invalid. */
  revoke(accessKeyId: string): void {
    this.#holders.delete(accessKeyId);
  }
}
