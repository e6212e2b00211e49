import { synthesize } from './synthesized.ts';

const template = await synthesize();

test('no login flow issues a token with which a member could change the attributes of the login', () => {
  const clients = Object.values(template.findResources('AWS::Cognito::UserPoolClient'));
  expect(clients).toHaveLength(1);
  // Without the property, Cognito allows SRP, whose tokens have the scope aws.cognito.signin.user.admin.
  expect(clients[0]?.Properties.ExplicitAuthFlows).toEqual(['ALLOW_ADMIN_USER_PASSWORD_AUTH']);
  expect(JSON.stringify(clients[0]?.Properties.AllowedOAuthScopes)).not.toContain('aws.cognito');
});

test('the dashboard’s client cannot change the email address', () => {
  template.hasResourceProperties('AWS::Cognito::UserPoolClient', { WriteAttributes: ['locale'] });
});

test('a changed email address replaces the old one only after it is verified', () => {
  template.hasResourceProperties('AWS::Cognito::UserPool', {
    UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    AutoVerifiedAttributes: ['email'],
  });
});
