import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  type AttributeType,
  type CognitoIdentityProviderClient,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';

/** A login of the user pool. `verified` says whether its user has proved that the email address is his or hers. */
type Login = { readonly sub: string; readonly invited: boolean; readonly verified: boolean };

/**
 * The login of an email address in a user pool. One that does not exist is created, and Cognito invites it by mail with a
 * temporary password; with `temporaryPassword` there is no mail.
 */
export function ensureUser(
  client: CognitoIdentityProviderClient,
  userPoolId: string,
  temporaryPassword?: string,
): (email: string) => Promise<Login> {
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
      return { sub: subOf(User?.Attributes), invited: true, verified: true };
    } catch (error) {
      if (!(error instanceof UsernameExistsException)) throw error;
      const { UserAttributes } = await client.send(new AdminGetUserCommand(user));
      return {
        sub: subOf(UserAttributes),
        invited: false,
        verified: attributeOf(UserAttributes, 'email_verified') === 'true',
      };
    }
  };
}

function attributeOf(attributes: readonly AttributeType[] | undefined, name: string): string | undefined {
  return attributes?.find(({ Name }) => Name === name)?.Value;
}

function subOf(attributes: readonly AttributeType[] | undefined): string {
  const sub = attributeOf(attributes, 'sub');
  if (sub === undefined) throw new Error('The user pool answered without a sub');
  return sub;
}
