import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { readKept, writeKept } from '../data-folder.ts';
import {
  type AwsService,
  jsonResponse,
  jsonService,
  type Operation,
  optionalText,
  ServiceError,
  textOf,
} from '../gateway.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';

const user = z.object({ pool: z.string(), sub: z.string(), email: z.string(), password: z.string() });
/** A login of the local cloud. Its password protects only a demonstration, and is in a file that only its owner can read. */
type User = z.infer<typeof user>;

export type Users = ReturnType<typeof keptUsers>;

/** The users of the user pools, kept in one file. @throws CloudError when the file is there but cannot be read */
export function keptUsers(file: string) {
  const users = readKept(file, z.array(user)) ?? [];
  const find = (pool: string, email: string): User | undefined =>
    users.find((known) => known.pool === pool && known.email === email.toLowerCase());
  return {
    find,
    bySub: (sub: string): User | undefined => users.find((known) => known.sub === sub),
    /** Creates a login; undefined when the address already has one. */
    create(pool: string, email: string, password: string): User | undefined {
      if (find(pool, email) !== undefined) return undefined;
      const created = { pool, sub: randomUUID(), email, password };
      users.push(created);
      writeKept(file, users);
      return created;
    },
    /** Returns the login with this address and password. */
    authenticate(email: string, password: string): User | undefined {
      const known = users.find((candidate) => candidate.email === email.trim().toLowerCase());
      if (known === undefined) return undefined;
      const [entered, expected] = [Buffer.from(password), Buffer.from(known.password)];
      return entered.length === expected.length && timingSafeEqual(entered, expected) ? known : undefined;
    },
  };
}

/**
 * Emulates the operations of Cognito user pools that create and find users.
 * @param invite called instead of the mail that Cognito sends
 */
export function userPools(
  pools: readonly Resource<'AWS::Cognito::UserPool'>[],
  users: Users,
  invite: (email: string, password: string) => void,
): AwsService {
  const onUser = (
    name: string,
    answer: (pool: string, email: string, parameters: JsonObject) => object,
  ): Operation => ({
    checks: (parameters) => {
      const id = textOf(parameters, 'UserPoolId');
      const pool = pools.find(({ ref }) => ref === id);
      if (pool === undefined) throw new ServiceError('ResourceNotFoundException', `User pool ${id} does not exist.`);
      return [{ action: `cognito-idp:${name}`, resource: pool.arn }];
    },
    answer: (parameters) =>
      jsonResponse(answer(textOf(parameters, 'UserPoolId'), textOf(parameters, 'Username').toLowerCase(), parameters)),
  });
  return jsonService('cognito-idp', {
    AdminCreateUser: onUser('AdminCreateUser', (pool, email, parameters) => {
      const password = optionalText(parameters, 'TemporaryPassword') ?? randomBytes(9).toString('base64url');
      const created = users.create(pool, email, password);
      if (created === undefined) throw new ServiceError('UsernameExistsException', 'User account already exists');
      if (optionalText(parameters, 'MessageAction') !== 'SUPPRESS') invite(email, password);
      return { User: { Username: created.sub, Attributes: attributes(created), Enabled: true } };
    }),
    AdminGetUser: onUser('AdminGetUser', (pool, email) => {
      const found = users.find(pool, email);
      if (found === undefined) throw new ServiceError('UserNotFoundException', 'User does not exist.');
      return { Username: found.sub, UserAttributes: attributes(found), Enabled: true };
    }),
  });
}

const attributes = ({ sub, email }: User) => [
  { Name: 'sub', Value: sub },
  { Name: 'email', Value: email },
  { Name: 'email_verified', Value: 'true' },
];
