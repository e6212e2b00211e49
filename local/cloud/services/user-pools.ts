import { randomBytes } from 'node:crypto';
import { type AwsService, ServiceError } from '../gateway/aws-request.ts';
import { jsonResponse, jsonService, type Operation, optionalText, textOf } from '../gateway/json-protocol.ts';
import type { JsonObject } from '../json.ts';
import type { User, Users } from '../login/users.ts';
import type { Resource } from '../template/stack.ts';

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
      const user = users.create(pool, email, password);
      if (user === undefined) throw new ServiceError('UsernameExistsException', 'User account already exists');
      if (optionalText(parameters, 'MessageAction') !== 'SUPPRESS') invite(email, password);
      return { User: { Username: user.sub, Attributes: attributes(user), Enabled: true } };
    }),
    AdminGetUser: onUser('AdminGetUser', (pool, email) => {
      const user = users.find(pool, email);
      if (user === undefined) throw new ServiceError('UserNotFoundException', 'User does not exist.');
      return { Username: user.sub, UserAttributes: attributes(user), Enabled: true };
    }),
  });
}

const attributes = ({ sub, email }: User) => [
  { Name: 'sub', Value: sub },
  { Name: 'email', Value: email },
  { Name: 'email_verified', Value: 'true' },
];
