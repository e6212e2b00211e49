import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { readKept, writeKept } from '../data-folder.ts';
import { AwsError, type AwsOperation, jsonResponse, jsonService } from '../gateway.ts';
import { type JsonRecord, objectsOf, optionalText, textOf } from '../json.ts';
import type { Resource } from '../template/stack.ts';

const user = z.object({
  pool: z.string(),
  sub: z.string(),
  /** The sub in a pool whose users have their address as name. */
  username: z.string(),
  email: z.string().optional(),
  password: z.string(),
  /** Whether the user has proved access to the mailbox of the address. */
  email_verified: z.boolean(),
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
    authenticate(email: string, password: string): User | undefined {
      const wantedEmail = email.trim().toLowerCase();
      const known = users.find((candidate) => candidate.enabled && candidate.email?.toLowerCase() === wantedEmail);
      if (known === undefined) return undefined;
      const [entered, expected] = [Buffer.from(password), Buffer.from(known.password)];
      return entered.length === expected.length && timingSafeEqual(entered, expected) ? known : undefined;
    },
  };
}

type Pool = Resource<'AWS::Cognito::UserPool'>;

const USERS_PER_PAGE = 60;
const FILTER = /^(email|sub) (\^?=) "(.*)"$/s;

/** Emulates what creates and finds users. @param invite called instead of the mail that Cognito sends */
export function userPools(pools: readonly Pool[], users: Users, invite: (email: string, password: string) => void) {
  const onPool =
    (answer: (pool: Pool, parameters: JsonRecord) => object): AwsOperation =>
    ({ operation, parameters, demand }) => {
      const id = textOf(parameters, 'UserPoolId');
      const pool = pools.find(({ ref }) => ref === id);
      if (pool === undefined) throw new AwsError('ResourceNotFoundException', `User pool ${id} does not exist.`);
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
      if (name === undefined) throw new AwsError('InvalidParameterException', 'Error while parsing filter.');
      const wantedValue = comparableName(pool, value.replace(/\\(.)/g, '$1'));
      const matchingUsers = users.of(pool.ref).filter((one) => {
        const has = comparableName(pool, (name === 'sub' ? one.sub : one.email) ?? '');
        return comparison === '=' ? has === wantedValue : has.startsWith(wantedValue);
      });
      const start = Number(optionalText(parameters, 'PaginationToken') ?? 0);
      const next = start + USERS_PER_PAGE;
      return {
        Users: matchingUsers.slice(start, next).map((one) => ({ ...profile(one), Attributes: attributes(one) })),
        ...(next < matchingUsers.length ? { PaginationToken: String(next) } : {}),
      };
    }),
    AdminCreateUser: onPool((pool, parameters) => {
      const createdUser = newUser(pool, users.of(pool.ref), parameters);
      users.add(createdUser);
      const { email, username, password } = createdUser;
      if (optionalText(parameters, 'MessageAction') !== 'SUPPRESS') invite(email ?? username, password);
      return { User: { ...profile(createdUser), Attributes: attributes(createdUser) } };
    }),
    AdminGetUser: onPool((pool, parameters) => {
      const name = textOf(parameters, 'Username');
      const storedUser = users.of(pool.ref).find((one) => isUserCalled(pool, one, name));
      if (storedUser === undefined) throw new AwsError('UserNotFoundException', 'User does not exist.');
      return { ...profile(storedUser), UserAttributes: attributes(storedUser) };
    }),
  });
}

/** A pool distinguishes case unless it says otherwise. */
const comparableName = ({ properties }: Pool, text: string): string =>
  properties.UsernameConfiguration?.CaseSensitive === false ? text.toLowerCase() : text;

/** Whether the user is found by this name: a username, a sub, or an address that is a way to log in. */
function isUserCalled(pool: Pool, { username, sub, email, email_verified }: User, name: string): boolean {
  const { UsernameAttributes, AliasAttributes } = pool.properties;
  const isAddress = UsernameAttributes !== undefined || (AliasAttributes?.includes('email') && email_verified);
  const names = [username, sub, ...(isAddress && email !== undefined ? [email] : [])];
  return names.some((one) => comparableName(pool, one) === comparableName(pool, name));
}

function newUser(pool: Pool, existingUsers: readonly User[], parameters: JsonRecord): User {
  const refuse = (code: string, message: string): never => {
    throw new AwsError(code, message);
  };
  const { UsernameAttributes, AliasAttributes } = pool.properties;
  const name = textOf(parameters, 'Username');
  const attributePairs = objectsOf(parameters, 'UserAttributes').map((one) => [
    textOf(one, 'Name'),
    textOf(one, 'Value'),
  ]);
  const { email, email_verified } = Object.fromEntries(attributePairs);
  if (AliasAttributes?.includes('email') && name.includes('@')) {
    refuse('InvalidParameterException', 'Username cannot be of email format: the user pool has it as an alias.');
  }
  const isTaken = (one: string) => existingUsers.some((other) => isUserCalled(pool, other, one));
  if (isTaken(name)) refuse('UsernameExistsException', 'User account already exists');
  if (email_verified === 'true' && email !== undefined && isTaken(email)) {
    refuse('AliasExistsException', 'An account with the given email already exists.');
  }
  const sub = randomUUID();
  return {
    pool: pool.ref,
    sub,
    username: UsernameAttributes === undefined ? comparableName(pool, name) : sub,
    email: email === undefined ? undefined : comparableName(pool, email),
    password: optionalText(parameters, 'TemporaryPassword') ?? randomBytes(9).toString('base64url'),
    email_verified: email_verified === 'true',
    enabled: true,
    providers: [],
  };
}

const profile = ({ username, enabled }: User) => ({ Username: username, Enabled: enabled });

const attributes = ({ sub, email, email_verified, providers }: User) => [
  { Name: 'sub', Value: sub },
  ...(email === undefined ? [] : [{ Name: 'email', Value: email }]),
  { Name: 'email_verified', Value: String(email_verified) },
  ...(providers.length === 0
    ? []
    : [{ Name: 'identities', Value: JSON.stringify(providers.map((providerName) => ({ providerName }))) }]),
];
