import { randomUUID } from 'node:crypto';
import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  AliasExistsException,
  type AttributeType,
  type CognitoIdentityProviderClient,
  DescribeUserPoolCommand,
  paginateListUsers,
  UsernameExistsException,
  type UserPoolType,
} from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod';
import type { Login, Logins } from '../domain/context.ts';
import { parseJson } from '../domain/parse-json.ts';

/** The logins of any user pool. A new user gets an invitation by mail, but none with `temporaryPassword`. */
export function userPoolLogins(
  client: CognitoIdentityProviderClient,
  UserPoolId: string,
  temporaryPassword?: string,
): Logins {
  const describe = async (): Promise<UserPoolType> =>
    (await client.send(new DescribeUserPoolCommand({ UserPoolId }))).UserPool ?? {};
  const search = async function* (Filter: string): AsyncGenerator<Login> {
    for await (const { Users = [] } of paginateListUsers({ client }, { UserPoolId, Filter })) {
      for (const { Username, Enabled, Attributes } of Users) yield loginOf(Username, Enabled, Attributes);
    }
  };
  return {
    withEmail: async (email) => {
      const { UsernameConfiguration } = await describe();
      // AWS's pages disagree on whether a search distinguishes case. In a pool that may, all addresses that begin alike are read and compared below.
      const filters =
        UsernameConfiguration?.CaseSensitive === false
          ? [`email = ${JSON.stringify(email)}`]
          : spellings(email.slice(0, 2)).map((start) => `email ^= ${JSON.stringify(start)}`);
      const foundLogins = new Map<string, Login>();
      for (const filter of filters) {
        for await (const login of search(filter)) {
          if (login.email?.toLowerCase() === email.toLowerCase()) foundLogins.set(login.sub, login);
        }
      }
      return [...foundLogins.values()];
    },
    withSub: async (sub) => {
      for await (const login of search(`sub = ${JSON.stringify(sub)}`)) return login;
      return undefined;
    },
    create: async (email) => {
      const { AliasAttributes = [] } = await describe();
      // An address that is an alias cannot be a name.
      const Username = AliasAttributes.includes('email') ? randomUUID() : email;
      try {
        const { User } = await client.send(
          new AdminCreateUserCommand({
            UserPoolId,
            Username,
            UserAttributes: [
              { Name: 'email', Value: email },
              { Name: 'email_verified', Value: 'true' },
            ],
            ...(temporaryPassword === undefined
              ? { DesiredDeliveryMediums: ['EMAIL'] }
              : { TemporaryPassword: temporaryPassword, MessageAction: 'SUPPRESS' }),
          }),
        );
        return { login: loginOf(User?.Username, User?.Enabled, User?.Attributes), isInvited: true };
      } catch (error) {
        if (!(error instanceof UsernameExistsException || error instanceof AliasExistsException)) throw error;
        // A search finds a new login only after a while.
        const user = await client.send(new AdminGetUserCommand({ UserPoolId, Username: email }));
        return { login: loginOf(user.Username, user.Enabled, user.UserAttributes), isInvited: false };
      }
    },
  };
}

function spellings(text: string): readonly string[] {
  const [first = '', ...rest] = text;
  if (first === '') return [''];
  const starts = new Set([first.toLowerCase(), first.toUpperCase()]);
  return spellings(rest.join('')).flatMap((end) => [...starts].map((start) => start + end));
}

const identities = z.array(z.object({ providerName: z.string() }));

function loginOf(username: string | undefined, enabled: boolean | undefined, attributes: AttributeType[] = []): Login {
  const attributeValues = new Map(attributes.map(({ Name, Value }) => [Name, Value]));
  const sub = attributeValues.get('sub');
  if (sub === undefined) throw new Error('The response of the user pool has no sub');
  const linkedIdentities = attributeValues.get('identities') ?? '[]';
  return {
    sub,
    username: username ?? sub,
    email: attributeValues.get('email'),
    enabled: enabled === true,
    isVerified: attributeValues.get('email_verified') === 'true',
    providers: identities.parse(parseJson(linkedIdentities)).map(({ providerName }) => providerName),
  };
}
