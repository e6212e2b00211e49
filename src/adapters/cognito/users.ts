import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  type AttributeType,
  CognitoIdentityProviderClient,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';
import type { AwsAccess } from '../aws/access.ts';

/** One client per process. */
export function cognitoClient(access: AwsAccess): CognitoIdentityProviderClient {
  return new CognitoIdentityProviderClient({ maxAttempts: 3, ...access });
}

/**
 * The login of an email address in a user pool. One that does not exist is created, and Cognito invites it by mail with a
 * temporary password; with `temporaryPassword` there is no mail.
 */
export function ensureUser(
  client: CognitoIdentityProviderClient,
  userPoolId: string,
  temporaryPassword?: string,
): (email: string) => Promise<{ readonly sub: string; readonly invited: boolean }> {
  return async (email) => {
    const user = { UserPoolId: userPoolId, Username: email };
    try {
      const { User } = await client.send(
        new AdminCreateUserCommand({
          ...user,
          UserAttributes: [
            { Name: 'email', Value: email },
            { Name: 'email_verified', Value: 'true' },
          ],
          ...(temporaryPassword === undefined
            ? { DesiredDeliveryMediums: ['EMAIL'] }
            : { TemporaryPassword: temporaryPassword, MessageAction: 'SUPPRESS' }),
        }),
      );
      return { sub: subOf(User?.Attributes), invited: true };
    } catch (error) {
      if (!(error instanceof UsernameExistsException)) throw error;
      const { UserAttributes } = await client.send(new AdminGetUserCommand(user));
      return { sub: subOf(UserAttributes), invited: false };
    }
  };
}

function subOf(attributes: readonly AttributeType[] | undefined): string {
  const sub = attributes?.find(({ Name }) => Name === 'sub')?.Value;
  if (sub === undefined) throw new Error('The user pool answered without a sub');
  return sub;
}
