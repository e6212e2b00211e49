import { secretsManagerClient } from '../../../src/adapters/aws-clients.ts';
import { acceptedValues, cachedRing, readRing, writeRing } from '../../../src/adapters/secrets/secret-store.ts';
import { AwsFault, FakeAwsServices } from '../../fakes/aws-services.ts';
import { FrozenClock } from '../../fakes/sources.ts';

const aws = new FakeAwsServices();
const client = secretsManagerClient(aws.access());
beforeEach(() => aws.reset());

const reads = () => aws.callsOf('GetSecretValue').length;
const holds = (value: unknown) =>
  aws.on('GetSecretValue', {}, { SecretString: typeof value === 'string' ? value : JSON.stringify(value) });

const ONE = { kid: 'k1', key: '1'.repeat(64) };
const TWO = { kid: 'k2', key: '2'.repeat(64) };

describe('a key ring', () => {
  test('of one key, as CloudFormation generates it', async () => {
    holds(ONE);
    const ring = cachedRing(client, 'the-secret', new FrozenClock().now);
    expect(await ring.current()).toEqual(ONE);
    expect(await ring.byId('k1')).toEqual(ONE);
    expect(aws.callsOf('GetSecretValue')[0]).toEqual({ SecretId: 'the-secret' });
  });

  test('of several: the newest signs, all are found', async () => {
    holds({ keys: [TWO, ONE] });
    const ring = cachedRing(client, 'the-secret', new FrozenClock().now);
    expect(await ring.current()).toEqual(TWO);
    expect([await ring.byId('k1'), await ring.byId('k2')]).toEqual([ONE, TWO]);
  });

  test('a new key signs only once it is active, and verifies from the beginning', async () => {
    const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
    const added = { ...TWO, active_from: Date.parse('2026-03-04T05:04:00Z') / 1000 };
    holds({ keys: [added, ONE] });
    const ring = cachedRing(client, 'the-secret', clock.now);
    expect([await ring.current(), await ring.byId('k2')]).toEqual([ONE, added]);
    clock.advance(239_999);
    expect(await ring.current()).toEqual(ONE);
    clock.advance(1);
    expect(await ring.current()).toEqual(added);
    expect(reads()).toBe(1);
  });

  test('a retired key verifies nothing, and still opens what it sealed', async () => {
    const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
    holds({ keys: [{ ...TWO, active_from: Date.parse('2026-03-04T03:40:00Z') / 1000 }, ONE] });
    const ring = cachedRing(client, 'the-secret', clock.now);
    expect([await ring.verifying('k1'), await ring.byId('k1')]).toEqual([undefined, ONE]);
    expect(await ring.verifying('k2')).toMatchObject(TWO);
  });

  test('is read once for many at a time, and again after five minutes', async () => {
    holds(ONE);
    const clock = new FrozenClock();
    const ring = cachedRing(client, 'the-secret', clock.now);
    await Promise.all(Array.from({ length: 20 }, () => ring.current()));
    clock.advance(5 * 60_000 - 1);
    await ring.current();
    await ring.byId('k1');
    expect(reads()).toBe(1);
    clock.advance(1);
    await Promise.all([ring.current(), ring.byId('k1')]);
    expect(reads()).toBe(2);
  });

  test('that does not know a key is read again, at most every 30 seconds', async () => {
    holds(ONE);
    const clock = new FrozenClock();
    const ring = cachedRing(client, 'the-secret', clock.now);
    await ring.current();
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

  test('that cannot be read fails, and is read again by the next who asks', async () => {
    aws.on('GetSecretValue', {}, new Error('away'), { SecretString: JSON.stringify(ONE) });
    const ring = cachedRing(client, 'the-secret', new FrozenClock().now);
    await expect(ring.current()).rejects.toThrow('away');
    expect(await ring.current()).toEqual(ONE);
  });

  test.each([
    ['no JSON', 'DontTellThisSecret'],
    ['a key too short', { kid: 'k1', key: 'DontTellThisSecret' }],
    ['no keys', { keys: [] }],
    ['a key id that cannot stand in a header', { kid: 'a b', key: 'DontTellThisSecret'.repeat(4) }],
  ])('a secret that holds %s fails without quoting it', async (_, value) => {
    holds(value);
    const failed = readRing(client, 'the-secret');
    await expect(failed).rejects.toThrow('The secret does not contain a key ring');
    await expect(failed).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining('DontTell') }));
  });

  test('is written as it is read', async () => {
    aws.on('PutSecretValue', {}, {});
    await writeRing(client, 'the-secret', [TWO, ONE]);
    const { SecretId, SecretString, ClientRequestToken } = aws.callsOf('PutSecretValue')[0] ?? {};
    // By it Secrets Manager knows a call that is sent again.
    expect(ClientRequestToken).toMatch(/^[0-9a-f-]{36}$/);
    expect(SecretId).toBe('the-secret');
    holds(SecretString);
    expect(await readRing(client, 'the-secret')).toEqual([TWO, ONE]);
  });
});

describe('the accepted values of a plain secret', () => {
  const stages = (current: string, previous?: string) => {
    aws.on('GetSecretValue', { SecretId: 'the-secret' }, { SecretString: current });
    const before = previous === undefined ? new AwsFault('ResourceNotFoundException') : { SecretString: previous };
    aws.on('GetSecretValue', { VersionStage: 'AWSPREVIOUS' }, before);
  };

  test('are the current one, and the previous one once there is one', async () => {
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

  test('are read once in five minutes, and for a text that is neither at most every 30 seconds', async () => {
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

  test('that cannot be read are read again by the next who asks', async () => {
    const accepts = acceptedValues(client, 'the-secret', new FrozenClock().now);
    aws.on('GetSecretValue', {}, new Error('away'));
    await expect(accepts('there')).rejects.toThrow('away');
    aws.reset();
    stages('there');
    expect(await accepts('there')).toBe(true);
  });
});
