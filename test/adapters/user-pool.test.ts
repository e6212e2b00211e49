import { cognitoClient } from '../../src/adapters/aws-clients.ts';
import { ensureUser } from '../../src/adapters/user-pool.ts';
import { AwsFault, FakeAwsServices } from '../fakes/aws-services.ts';

test.each([
  ['verified', [{ Name: 'email_verified', Value: 'true' }], true],
  ['not verified', [{ Name: 'email_verified', Value: 'false' }], false],
  ['without the attribute', [], false],
])('an address that is %s', async (_, more, verified) => {
  const aws = new FakeAwsServices();
  const UserAttributes = [{ Name: 'sub', Value: 'sub-1' }, { Name: 'email', Value: 'ada@example.com' }, ...more];
  aws.on('AdminCreateUser', {}, new AwsFault('UsernameExistsException'));
  aws.on('AdminGetUser', {}, { Username: 'sub-1', UserAttributes });
  const ensure = ensureUser(cognitoClient(aws.access()), 'pool');
  expect(await ensure('ada@example.com')).toEqual({ sub: 'sub-1', invited: false, verified });
});
