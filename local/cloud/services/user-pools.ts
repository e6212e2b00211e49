import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { readKept, writeKept } from '../data-folder.ts';
import {
  type AwsService,
  jsonResponse,
  jsonService,
  type Operation,
  objectsOf,
  optionalText,
  ServiceError,
  textOf,
} from '../gateway.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';

const user = z.object({
  pool: z.string(),
  sub: z.string(),
  /** The sub in a pool whose users have their address as name. */
  username: z.string(),
  email: z.string().optional(),
  password: z.string(),
  /** Whether the user has proved access to the mailbox of the address. */
  verified: z.boolean(),
  enabled: z.boolean(),
  /** Names of the identity providers whose people use it. */
  providers: z.array(z.string()),
});
/** A login of the local cloud. Its password protects only a demonstration, and is in a file that only its owner can read. */
export type User = z.infer<typeof user>;

export type Users = ReturnType<typeof keptUsers>;

/** The users of the user pools, kept in one file. @throws CloudError when the file is there but cannot be read */
export function keptUsers(file: string) {
  const users = readKept(file, z.array(user)) ?? [];
  return {
    of: (pool: string): readonly User[] => users.filter((known) => known.pool === pool),
    bySub: (sub: string): User | undefined => users.find((known) => known.sub === sub),
    add(created: User): void {
      users.push(created);
      writeKept(file, users);
    },
    /** Returns the enabled login with this address and password. */
    authenticate(email: string, password: string): User | undefined {
      const wanted = email.trim().toLowerCase();
      const known = users.find((candidate) => candidate.enabled && candidate.email?.toLowerCase() === wanted);
      if (known === undefined) return undefined;
      const [entered, expected] = [Buffer.from(password), Buffer.from(known.password)];
      return entered.length === expected.length && timingSafeEqual(entered, expected) ? known : undefined;
    },
  };
}

type Pool = Resource<'AWS::Cognito::UserPool'>;

/** A page of ListUsers. */
const USERS_PER_PAGE = 60;
const FILTER = /^(email|sub) (\^?=) "(.*)"$/s;

/**
 * Emulates the operations of Cognito user pools that create and find users.
 * @param invite called instead of the mail that Cognito sends
 */
export function userPools(
  pools: readonly Pool[],
  users: Users,
  invite: (email: string, password: string) => void,
): AwsService {
  const onPool =
    (answer: (pool: Pool, parameters: JsonObject) => object): Operation =>
    ({ operation, parameters, demand }) => {
      const id = textOf(parameters, 'UserPoolId');
      const pool = pools.find(({ ref }) => ref === id);
      if (pool === undefined) throw new ServiceError('ResourceNotFoundException', `User pool ${id} does not exist.`);
      demand(`cognito-idp:${operation}`, pool.arn);
      return jsonResponse(answer(pool, parameters));
    };
  return jsonService('cognito-idp', {
    DescribeUserPool: onPool(({ ref, arn, properties }) => {
      const { UsernameAttributes, AliasAttributes, UsernameConfiguration } = properties;
      return { UserPool: { Id: ref, Arn: arn, UsernameAttributes, AliasAttributes, UsernameConfiguration } };
    }),
    ListUsers: onPool((pool, parameters) => {
      const [, name, comparison, value = ''] = FILTER.exec(textOf(parameters, 'Filter')) ?? [];
      if (name === undefined) throw new ServiceError('InvalidParameterException', 'Error while parsing filter.');
      const wanted = cased(pool, value.replace(/\\(.)/g, '$1'));
      const found = users.of(pool.ref).filter((one) => {
        const has = cased(pool, (name === 'sub' ? one.sub : one.email) ?? '');
        return comparison === '=' ? has === wanted : has.startsWith(wanted);
      });
      const start = Number(optionalText(parameters, 'PaginationToken') ?? 0);
      const next = start + USERS_PER_PAGE;
      return {
        Users: found.slice(start, next).map((one) => ({ ...profile(one), Attributes: attributes(one) })),
        ...(next < found.length ? { PaginationToken: String(next) } : {}),
      };
    }),
    AdminCreateUser: onPool((pool, parameters) => {
      const created = newUser(pool, users.of(pool.ref), parameters);
      users.add(created);
      const { email, username, password } = created;
      if (optionalText(parameters, 'MessageAction') !== 'SUPPRESS') invite(email ?? username, password);
      return { User: { ...profile(created), Attributes: attributes(created) } };
    }),
    AdminGetUser: onPool((pool, parameters) => {
      const name = textOf(parameters, 'Username');
      const found = users.of(pool.ref).find((one) => named(pool, one, name));
      if (found === undefined) throw new ServiceError('UserNotFoundException', 'User does not exist.');
      return { ...profile(found), UserAttributes: attributes(found) };
    }),
  });
}

/** A pool distinguishes case unless it says otherwise. */
const cased = ({ properties }: Pool, text: string): string =>
  properties.UsernameConfiguration?.CaseSensitive === false ? text.toLowerCase() : text;

/** Whether the user is found by this name: a username, a sub, or an address that is a way to log in. */
function named(pool: Pool, { username, sub, email, verified }: User, name: string): boolean {
  const { UsernameAttributes, AliasAttributes } = pool.properties;
  const isAddress = UsernameAttributes !== undefined || (AliasAttributes?.includes('email') && verified);
  const names = [username, sub, ...(isAddress && email !== undefined ? [email] : [])];
  return names.some((one) => cased(pool, one) === cased(pool, name));
}

function newUser(pool: Pool, existing: readonly User[], parameters: JsonObject): User {
  const refuse = (code: string, message: string): never => {
    throw new ServiceError(code, message);
  };
  const { UsernameAttributes, AliasAttributes } = pool.properties;
  const name = textOf(parameters, 'Username');
  const given = objectsOf(parameters, 'UserAttributes').map((one) => [textOf(one, 'Name'), textOf(one, 'Value')]);
  const { email, email_verified: verified } = Object.fromEntries(given);
  if (AliasAttributes?.includes('email') && name.includes('@')) {
    refuse('InvalidParameterException', 'Username cannot be of email format: the user pool has it as an alias.');
  }
  const isTaken = (one: string) => existing.some((other) => named(pool, other, one));
  if (isTaken(name)) refuse('UsernameExistsException', 'User account already exists');
  if (verified === 'true' && email !== undefined && isTaken(email)) {
    refuse('AliasExistsException', 'An account with the given email already exists.');
  }
  const sub = randomUUID();
  return {
    pool: pool.ref,
    sub,
    username: UsernameAttributes === undefined ? cased(pool, name) : sub,
    email: email === undefined ? undefined : cased(pool, email),
    password: optionalText(parameters, 'TemporaryPassword') ?? randomBytes(9).toString('base64url'),
    verified: verified === 'true',
    enabled: true,
    providers: [],
  };
}

const profile = ({ username, enabled }: User) => ({ Username: username, Enabled: enabled });

const attributes = ({ sub, email, verified, providers }: User) => [
  { Name: 'sub', Value: sub },
  ...(email === undefined ? [] : [{ Name: 'email', Value: email }]),
  { Name: 'email_verified', Value: String(verified) },
  ...(providers.length === 0
    ? []
    : [{ Name: 'identities', Value: JSON.stringify(providers.map((providerName) => ({ providerName }))) }]),
];
