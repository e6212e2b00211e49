import { askService } from '../../src/adapters/ask-service.ts';
import { eventBridgeClient, secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { eventBus } from '../../src/adapters/event-bus.ts';
import { readSecret } from '../../src/adapters/secrets/secret-store.ts';
import { CANARY_ORGANIZATION } from '../../src/contract/events.ts';
import { tryService } from '../../src/domain/auth/try-service.ts';
import type { Trial } from '../../src/domain/facts.ts';
import { functionShell, type InvocationTime } from '../../src/functions/invocation.ts';
import { setting } from '../../src/functions/settings.ts';

const { invoke } = functionShell('canary');
const secrets = secretsManagerClient();
const serverKey = setting('canaryServerKey');
const publish = eventBus(eventBridgeClient(), setting('eventBus'));
const ask = askService(setting('baseUrl'));

/**
 * Runs every five minutes. Puts an event on the bus, whose arrival in the events queue an alarm expects, and uses the service. Reads the
 * server secret each time, so that a new one takes effect with the next run.
 */
export const handler = (_: unknown, time: InvocationTime): Promise<Trial> =>
  invoke(time, async ({ reportFact }) => {
    await publish({ event: 'test.ping', org_id: CANARY_ORGANIZATION, data: {} });
    const trial = await tryService((await readSecret(secrets, serverKey)).trim(), ask);
    reportFact({ kind: 'canary_ran', ...trial });
    return trial;
  });
