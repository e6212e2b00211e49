import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  type AttributeType,
  type CognitoIdentityProviderClient,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';

/** A login of the user pool. `verified` says whether its user has proved access to the mailbox of the email address. */
type Login = { readonly sub: string; readonly invited: boolean; readonly verified: boolean };

/**
 * Returns a function that finds the login of an email address, or creates it. Cognito sends a new user an invitation with a temporary
 * password. With `temporaryPassword`, it sends no mail.
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
  if (sub === undefined) throw new Error('The response of the user pool has no sub');
  return sub;
}
