import { secretsManagerClient } from '../../../../src/adapters/aws-clients.ts';
import { acceptedValues, cachedRing, replaceSecret, ringStore } from '../../../../src/adapters/secrets/secret-store.ts';
import { AwsFault, FakeAwsServices } from '../../../fakes/aws-services.ts';
import { refusalOf } from '../../../fakes/refusals.ts';
import { FrozenClock } from '../../../fakes/sources.ts';

const aws = new FakeAwsServices();
const client = secretsManagerClient(aws.access());
beforeEach(() => aws.reset());

const reads = () => aws.callsOf('GetSecretValue').length;
const holds = (value: unknown) =>
  aws.on('GetSecretValue', {}, { SecretString: typeof value === 'string' ? value : JSON.stringify(value) });

const ONE = { kid: 'k1', key: '1'.repeat(64) };
const TWO = { kid: 'k2', key: '2'.repeat(64) };

describe('a key ring', () => {
  test('can be a single key, as CloudFormation generates it', async () => {
    holds(ONE);
    const ring = cachedRing(client, 'the-secret', new FrozenClock().now);
    expect(await ring.currentKey()).toEqual(ONE);
    expect(await ring.byId('k1')).toEqual(ONE);
    expect(aws.callsOf('GetSecretValue')[0]).toEqual({ SecretId: 'the-secret' });
  });

  test('with several keys signs with the newest, and finds all', async () => {
    holds({ keys: [TWO, ONE] });
    const ring = cachedRing(client, 'the-secret', new FrozenClock().now);
    expect(await ring.currentKey()).toEqual(TWO);
    expect([await ring.byId('k1'), await ring.byId('k2')]).toEqual([ONE, TWO]);
  });

  test('signs with a new key only when it is active, but verifies with it immediately', async () => {
    const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
    const added = { ...TWO, active_from: Date.parse('2026-03-04T05:04:00Z') / 1000 };
    holds({ keys: [added, ONE] });
    const ring = cachedRing(client, 'the-secret', clock.now);
    expect([await ring.currentKey(), await ring.byId('k2')]).toEqual([ONE, added]);
    clock.advance(239_999);
    expect(await ring.currentKey()).toEqual(ONE);
    clock.advance(1);
    expect(await ring.currentKey()).toEqual(added);
    expect(reads()).toBe(1);
  });

  test('does not verify with a retired key, but still opens secrets with it', async () => {
    const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
    holds({ keys: [{ ...TWO, active_from: Date.parse('2026-03-04T03:40:00Z') / 1000 }, ONE] });
    const ring = cachedRing(client, 'the-secret', clock.now);
    expect([await ring.verifyingKey('k1'), await ring.byId('k1')]).toEqual([undefined, ONE]);
    expect(await ring.verifyingKey('k2')).toMatchObject(TWO);
  });

  test('is read once for concurrent calls, and again after five minutes', async () => {
    holds(ONE);
    const clock = new FrozenClock();
    const ring = cachedRing(client, 'the-secret', clock.now);
    await Promise.all(Array.from({ length: 20 }, () => ring.currentKey()));
    clock.advance(5 * 60_000 - 1);
    await ring.currentKey();
    await ring.byId('k1');
    expect(reads()).toBe(1);
    clock.advance(1);
    await Promise.all([ring.currentKey(), ring.byId('k1')]);
    expect(reads()).toBe(2);
    // The clock was ahead.
    clock.advance(-3_600_000);
    await ring.currentKey();
    expect(reads()).toBe(3);
  });

  test('without the requested key is read again, at most every 30 seconds', async () => {
    holds(ONE);
    const clock = new FrozenClock();
    const ring = cachedRing(client, 'the-secret', clock.now);
    await ring.currentKey();
    holds({ keys: [TWO, ONE] });
    clock.advance(29_999);
    expect(await ring.byId('k2')).toBeUndefined();
    expect(reads()).toBe(1);
    clock.advance(1);
    expect(await Promise.all([ring.byId('k2'), ring.byId('k2')])).toEqual([TWO, TWO]);
    expect(reads()).toBe(2);
    await Promise.all(Array.from({ length: 20 }, (_, i) => ring.byId(`made-up-${i}`)));
    clock.advance(29_000);
    expect(await ring.byId('made-up')).toBeUndefined();
    expect(reads()).toBe(2);
  });

  test('that cannot be read is asked for unknown keys as rarely, and its known keys stay', async () => {
    holds(ONE);
    const clock = new FrozenClock();
    const ring = cachedRing(client, 'the-secret', clock.now);
    await ring.currentKey();
    clock.advance(30_000);
    aws.on('GetSecretValue', {}, new Error('away'));
    for (const kid of ['made-up', 'other']) await expect(ring.byId(kid)).rejects.toThrow('away');
    expect(await Promise.all([ring.currentKey(), ring.byId('k1')])).toEqual([ONE, ONE]);
    expect(reads()).toBe(2);
    clock.advance(30_000);
    holds({ keys: [TWO, ONE] });
    expect(await ring.byId('k2')).toEqual(TWO);
  });

  test('that cannot be read is an error, and the next call reads it again', async () => {
    aws.on('GetSecretValue', {}, new Error('away'), { SecretString: JSON.stringify(ONE) });
    const ring = cachedRing(client, 'the-secret', new FrozenClock().now);
    await expect(ring.currentKey()).rejects.toThrow('away');
    expect(await ring.currentKey()).toEqual(ONE);
  });

  test.each([
    ['text that is not JSON', 'DontTellThisSecret'],
    ['a key too short', { kid: 'k1', key: 'DontTellThisSecret' }],
    ['no keys', { keys: [] }],
    ['a key id that is not valid in a header', { kid: 'a b', key: 'DontTellThisSecret'.repeat(4) }],
  ])('a secret with %s is an error that does not quote it', async (_, value) => {
    holds(value);
    const failed = ringStore(client, 'the-secret').readRing();
    await expect(failed).rejects.toThrow('The secret does not contain a key ring');
    await expect(failed).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining('DontTell') }));
  });

  describe('that is replaced', () => {
    const CHANGED = { ring: [ONE], version: 'v1' } as const;
    const replace = () => ringStore(client, 'the-secret').replace(CHANGED, [TWO, ONE]);
    const current = (version: string) =>
      aws.on('GetSecretValue', {}, { SecretString: JSON.stringify(ONE), VersionId: version });
    beforeEach(() => aws.on('PutSecretValue', {}, { VersionId: 'v2' }));

    test('has the form in which it is read, and becomes current in place of the version that was read', async () => {
      aws.on('UpdateSecretVersionStage', {}, {});
      await replace();
      const { SecretId, SecretString = '', VersionStages, ClientRequestToken } = aws.callsOf('PutSecretValue')[0] ?? {};
      // Secrets Manager recognizes a repeated call by this token.
      expect(ClientRequestToken).toMatch(/^[0-9a-f-]{36}$/);
      expect([SecretId, VersionStages]).toEqual(['the-secret', ['AWSPENDING']]);
      expect(aws.callsOf('UpdateSecretVersionStage')).toEqual([
        { SecretId, VersionStage: 'AWSCURRENT', MoveToVersionId: 'v2', RemoveFromVersionId: 'v1' },
      ]);
      holds(SecretString);
      expect((await ringStore(client, 'the-secret').readRing()).ring).toEqual([TWO, ONE]);
    });

    test.each(['InvalidParameterException', 'ResourceNotFoundException'])(
      'at the same moment as another caller does it is refused: %s',
      async (name) => {
        aws.on('UpdateSecretVersionStage', {}, new AwsFault(name));
        current('v3');
        expect((await refusalOf(replace())).code).toBe('keys_replaced');
        current('v2');
        await replace();
      },
    );

    test('is an error when a call fails', async () => {
      aws.on('UpdateSecretVersionStage', {}, new AwsFault('AccessDeniedException'));
      await expect(replace()).rejects.toMatchObject({ name: 'AccessDeniedException' });
    });
  });
});

describe('the accepted values of a plain secret', () => {
  const stages = (current: string, previous?: string) => {
    aws.on('GetSecretValue', { SecretId: 'the-secret' }, { SecretString: current });
    const before = previous === undefined ? new AwsFault('ResourceNotFoundException') : { SecretString: previous };
    aws.on('GetSecretValue', { VersionStage: 'AWSPREVIOUS' }, before);
  };

  test('are the current value and the previous one, if it exists', async () => {
    const clock = new FrozenClock();
    stages('first');
    const accepts = acceptedValues(client, 'the-secret', clock.now);
    expect(await Promise.all([accepts('first'), accepts('second'), accepts('')])).toEqual([true, false, false]);
    stages('second', 'first');
    clock.advance(30_000);
    expect(await Promise.all([accepts('first'), accepts('second')])).toEqual([true, true]);
    stages('third', 'second');
    clock.advance(5 * 60_000);
    expect(await Promise.all([accepts('first'), accepts('second'), accepts('third')])).toEqual([false, true, true]);
  });

  test('are read every five minutes, and for an unknown text at most every 30 seconds', async () => {
    const clock = new FrozenClock();
    stages('first');
    const accepts = acceptedValues(client, 'the-secret', clock.now);
    await Promise.all([accepts('first'), accepts('first'), accepts('guess')]);
    clock.advance(29_999);
    await Promise.all([accepts('guess'), accepts('first')]);
    expect(reads()).toBe(2);
    clock.advance(1);
    await Promise.all([accepts('guess'), accepts('guess')]);
    expect(reads()).toBe(4);
    clock.advance(5 * 60_000 - 1);
    await accepts('first');
    expect(reads()).toBe(4);
  });

  test('that cannot be read are read again by the next call', async () => {
    const accepts = acceptedValues(client, 'the-secret', new FrozenClock().now);
    aws.on('GetSecretValue', {}, new Error('away'));
    await expect(accepts('there')).rejects.toThrow('away');
    aws.reset();
    stages('there');
    expect(await accepts('there')).toBe(true);
  });
});

describe('a plain secret that a distribution sends', () => {
  beforeEach(() => {
    aws.on('PutSecretValue', {}, { VersionId: 'v3' });
    aws.on('UpdateSecretVersionStage', {}, {});
  });
  const versions = (...[current, previous]: readonly [string, string?]) => {
    aws.on('GetSecretValue', {}, { SecretString: 'a', VersionId: current });
    const before = previous === undefined ? new AwsFault('ResourceNotFoundException') : { SecretString: 'b' };
    aws.on('GetSecretValue', { VersionStage: 'AWSPREVIOUS' }, before);
  };

  test.each<[string, string, string | undefined, string | undefined]>([
    ['for the first time', 'v1', undefined, undefined],
    ['after a deployment of the current version', 'v2', 'v1', 'v2'],
  ])('is replaced %s', async (_, current, previous, sent) => {
    versions(current, previous);
    expect(await replaceSecret(client, 'the-secret', 'new', sent)).toBe('v3');
    expect(aws.callsOf('UpdateSecretVersionStage')).toEqual([
      { SecretId: 'the-secret', VersionStage: 'AWSCURRENT', MoveToVersionId: 'v3', RemoveFromVersionId: current },
    ]);
  });

  test.each([undefined, 'v1'])('is not replaced while the distribution sends the previous value (%s)', async (sent) => {
    versions('v2', 'v1');
    const refusal = await refusalOf(replaceSecret(client, 'the-secret', 'new', sent));
    expect([refusal.code, refusal.message]).toEqual([
      'keys_replaced',
      expect.stringContaining('npx cdk deploy -c originSecretVersion=v2'),
    ]);
    expect(aws.callsOf('PutSecretValue')).toEqual([]);
  });
});
