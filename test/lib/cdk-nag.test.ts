import { NAGGED } from './deployment-choices.ts';
import { findings } from './synthesized.ts';

test.each(NAGGED)('cdk-nag (AwsSolutions) finds only what is acknowledged with a reason in: %s', async (choice) => {
  expect(await findings(choice)).toBeNull();
});
