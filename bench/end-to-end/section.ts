import { goal, type Section } from '../report.ts';
import { Load } from '../setting/load.ts';
import { startReceiver } from '../setting/receiver.ts';
import { startService } from '../setting/service.ts';
import { percentile } from '../statistics.ts';

const EVENTS = 300;
const PER_SECOND = 20;
const FAILING = 30;

/** Measures the time from PutEvents to the customer's endpoint through the whole service. */
export async function endToEnd(folder: string): Promise<Section> {
  const receiver = await startReceiver(folder, { records: true });
  const [url] = receiver.urls;
  const endpoints = [url, new URL('/failing', url).href];
  const service = await startService({ endpoints, authorityFile: receiver.authorityFile, folder });
  try {
    const warmUp = new Load(service, receiver);
    await warmUp.send(0);
    await warmUp.missing();
    const fine = new Load(service, receiver);
    await fine.sendSteadily([0], PER_SECOND, EVENTS / PER_SECOND);
    const lost = await fine.missing();
    const latencies = fine.latencies();

    const failing = new Load(service, receiver);
    await failing.sendSteadily([1], 10, FAILING / 10);
    await failing.missing({ times: 3 });
    const arrivals = [...failing.arrivals().values()];
    const secondsBefore = (attempt: number) =>
      arrivals.map((times) => ((times[attempt - 1] ?? Number.NaN) - (times[attempt - 2] ?? Number.NaN)) / 1e6);
    const [second, third] = [secondsBefore(2), secondsBefore(3)];
    const early = (sample: readonly number[], seconds: number) => sample.filter((one) => one < seconds - 0.1).length;
    return {
      title: 'End to end',
      method: `\`npm start -- --no-demo\` receives ${EVENTS} events at ${PER_SECOND} per second. The time runs from before PutEvents to
the arrival at the receiver. Then ${FAILING} events go to an endpoint that always answers 503. The queue engine of the local cloud, like SQS,
delivers a delayed message some time after it is due. No retry may start earlier than the specification says.`,
      tables: [
        {
          columns: ['PutEvents to receiver', 'p50 ms', 'p99 ms', 'maximum ms'],
          rows: [
            [`${PER_SECOND} events/s`, percentile(latencies, 0.5), percentile(latencies, 0.99), Math.max(...latencies)],
          ],
        },
        {
          columns: ['Delay before the retry', 'minimum s', 'p50 s', 'p99 s'],
          rows: [
            ['2 s', Math.min(...second), percentile(second, 0.5), percentile(second, 0.99)],
            ['4 s', Math.min(...third), percentile(third, 0.5), percentile(third, 0.99)],
          ],
        },
      ],
      goals: [
        goal(`Lost events of ${EVENTS}`, lost, { max: 0 }),
        goal('Retries more than 0.1 s too early', early(second, 2) + early(third, 4), { max: 0 }),
      ],
    };
  } finally {
    await service.stop();
    receiver.stop();
  }
}
