import { randomBytes } from 'node:crypto';
import { type AwsService, jsonRefusal, jsonResponse, ServiceError, UnknownOperation } from '../gateway/aws-request.ts';
import { optionalText, readJsonCall, textOf } from '../gateway/json-protocol.ts';
import type { User, Users } from '../login/users.ts';
import type { UserPoolDefinition } from '../template/model.ts';

const OPERATIONS = ['AdminCreateUser', 'AdminGetUser'] as const;

/**
 * Emulates the operations of Cognito user pools that create and find users.
 * @param invite called instead of the mail that Cognito sends
 */
export function userPools(
  pools: readonly UserPoolDefinition[],
  users: Users,
  invite: (email: string, password: string) => void,
): AwsService {
  const attributes = ({ sub, email }: User) => [
    { Name: 'sub', Value: sub },
    { Name: 'email', Value: email },
    { Name: 'email_verified', Value: 'true' },
  ];
  return {
    refuse: jsonRefusal('1.1'),
    understand(request) {
      const { operation: name, parameters } = readJsonCall(request);
      const operation = OPERATIONS.find((known) => known === name);
      if (operation === undefined) throw new UnknownOperation('cognito-idp', name);
      const id = textOf(parameters, 'UserPoolId');
      const pool = pools.find((known) => known.id === id);
      if (pool === undefined) {
        throw new ServiceError('ResourceNotFoundException', `User pool ${id} does not exist.`);
      }
      return {
        checks: [{ action: `cognito-idp:${operation}`, resource: pool.arn }],
        async perform() {
          const email = textOf(parameters, 'Username').toLowerCase();
          switch (operation) {
            case 'AdminCreateUser': {
              const chosen = optionalText(parameters, 'TemporaryPassword');
              const password = chosen ?? randomBytes(9).toString('base64url');
              const user = users.create(id, email, password);
              if (user === undefined) {
                throw new ServiceError('UsernameExistsException', 'User account already exists');
              }
              if (optionalText(parameters, 'MessageAction') !== 'SUPPRESS') invite(email, password);
              return jsonResponse('1.1', {
                User: {
                  Username: user.sub,
                  Attributes: attributes(user),
                  Enabled: true,
                  UserStatus: 'FORCE_CHANGE_PASSWORD',
                },
              });
            }
            case 'AdminGetUser': {
              const user = users.find(id, email);
              if (user === undefined) throw new ServiceError('UserNotFoundException', 'User does not exist.');
              return jsonResponse('1.1', {
                Username: user.sub,
                UserAttributes: attributes(user),
                Enabled: true,
                UserStatus: 'CONFIRMED',
              });
            }
          }
        },
      };
    },
  };
}
