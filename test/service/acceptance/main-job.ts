import { system } from '../events/system.ts';
import { type Prepared, prepare, STEPS } from './scenario.ts';

/** Configures the service at the command line and uses it over HTTP, as a new operator does. */
describe('the main job', () => {
  let prepared: Prepared;
  beforeAll(async () => {
    prepared = await prepare(system.operator, system.receiver);
  });

  test.each(Object.entries(STEPS))('%s', (_, step) => step({ ...system, prepared }));

  test('no call of a function was refused, also in the parts before', () => {
    expect(system.cloud.denials).toEqual([]);
  });
});
