import { randomBytes } from 'node:crypto';
import { secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { ringStore } from '../../src/adapters/secrets/secret-store.ts';
import { isRotationDue, newestKeyAgeDays, rotateRing } from '../../src/domain/auth/key-ring.ts';
import { functionShell, type InvocationTime, isScheduled } from '../../src/functions/invocation.ts';
import { setting } from '../../src/functions/settings.ts';

const { invoke } = functionShell('key-rotation');
const tokenRing = ringStore(secretsManagerClient(), setting('tokenKeys'));

/**
 * Rotates the keys of session tokens. The schedule runs it every hour. It rotates when that is due, and always emits the age of the newest
 * key. An alarm is raised when the key is old, and when the age is missing: only the first key, which CloudFormation generates, has no age. A
 * manual invocation always rotates. It fails when the keys are replaced at the same moment, so that it brings back no key that is being revoked.
 */
export const handler = (event: unknown, time: InvocationTime): Promise<{ readonly keys: number }> =>
  invoke(time, async ({ now, reportFact }) => {
    const storedRing = await tokenRing.readRing();
    const { ring } = storedRing;
    const days = newestKeyAgeDays(ring, now());
    if (days !== undefined) reportFact({ kind: 'token_key_age', days });
    if (isScheduled(event) && !isRotationDue(ring, now())) return { keys: ring.length };
    const rotatedRing = rotateRing(ring, now(), randomBytes);
    await tokenRing.replace(storedRing, rotatedRing);
    if (days === undefined) reportFact({ kind: 'token_key_age', days: 0 });
    reportFact({ kind: 'token_keys_rotated', keys: rotatedRing.length, kid: rotatedRing[0].kid });
    return { keys: rotatedRing.length };
  });
