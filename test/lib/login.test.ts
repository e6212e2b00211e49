import { synthesize } from './synthesized.ts';

const template = await synthesize();

test('nobody gets a token by which a member could change the attributes of the login', () => {
  const clients = Object.values(template.findResources('AWS::Cognito::UserPoolClient'));
  expect(clients).toHaveLength(1);
  // Left out, Cognito allows SRP, whose tokens carry the scope aws.cognito.signin.user.admin.
  expect(clients[0]?.Properties.ExplicitAuthFlows).toEqual(['ALLOW_ADMIN_USER_PASSWORD_AUTH']);
  expect(JSON.stringify(clients[0]?.Properties.AllowedOAuthScopes)).not.toContain('aws.cognito');
});

test('the dashboard’s client may not write the email address', () => {
  template.hasResourceProperties('AWS::Cognito::UserPoolClient', { WriteAttributes: ['locale'] });
});

test('an address that was changed counts when it is verified, and the old one until then', () => {
  template.hasResourceProperties('AWS::Cognito::UserPool', {
    UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    AutoVerifiedAttributes: ['email'],
  });
});
