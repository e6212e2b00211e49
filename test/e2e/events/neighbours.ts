import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { until } from '../../harness/until.ts';
import type { ReceivedRequest } from '../acceptance/receiver.ts';
import { system } from './system.ts';

const HANGS_SECONDS = 5;
const NEVER = new Promise<string>(() => undefined);
const mark = (request: ReceivedRequest): unknown => JSON.parse(request.body.toString()).data.mark;

/** Checks the pauses of a delivery that fails at once. A retry that waited for the hanging neighbour would come five seconds later. */
function expectOwnPauses(requests: readonly ReceivedRequest[]): void {
  expect(requests).toHaveLength(3);
  const [first = 0, second = 0, third = 0] = requests.map(({ at }) => at / 1000);
  expect(second - first).toBeGreaterThanOrEqual(2);
  expect(second - first).toBeLessThan(HANGS_SECONDS);
  expect(third - second).toBeGreaterThanOrEqual(4);
  expect(third - second).toBeLessThan(4 + HANGS_SECONDS);
}

/**
 * Tests that a delivery does not wait for another one whose endpoint hangs (spec "States": pauses of 2 s and 4 s).
 * @param load busy: a process on each processor does nothing but compute
 */
export function describeNeighbours(load: 'quiet' | 'busy'): void {
  const burners: ChildProcess[] = [];
  beforeAll(() => {
    const count = load === 'busy' ? availableParallelism() : 0;
    for (let core = 0; core < count; core++) burners.push(spawn(process.execPath, ['-e', 'for (;;);']));
  });
  afterAll(() => {
    for (const burner of burners) burner.kill('SIGKILL');
  });

  test('the retries of five Actions do not wait for a sixth one of the same event, whose endpoint hangs', async () => {
    const { orgId, siteId } = await system.organization();
    const paths = ['a', 'b', 'c', 'd', 'e'].map((name) => `/${siteId}/${name}`);
    for (const path of paths) {
      system.receiver.answer(path, [503]);
      await system.eventAction(siteId, path, ['message.sent']);
    }
    system.receiver.answer(`/${siteId}/hangs`, [200], () => NEVER);
    await system.eventAction(siteId, `/${siteId}/hangs`, ['message.sent']);
    await system.operator.putEvent({ name: 'message.sent', orgId, siteId, data: {} });
    await until(() => paths.every((path) => system.receiver.to(path).length === 3));
    for (const path of paths) expectOwnPauses(system.receiver.to(path));
  });

  test('the retries of seven events of an Action do not wait for two others, at which its endpoint hangs', async () => {
    const { orgId, siteId } = await system.organization();
    const path = `/${siteId}/some-hang`;
    system.receiver.answer(path, [503], (request) => (Number(mark(request)) < 2 ? NEVER : '{}'));
    await system.eventAction(siteId, path, ['message.sent']);
    const marks = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    await Promise.all(
      marks.map((each) => system.operator.putEvent({ name: 'message.sent', orgId, siteId, data: { mark: each } })),
    );
    const of = (each: number) => system.receiver.to(path).filter((request) => mark(request) === each);
    const answered = marks.slice(2);
    await until(() => answered.every((each) => of(each).length === 3));
    for (const each of answered) expectOwnPauses(of(each));
  });
}
