import { CHOICE_NAMES } from './deployment-choices.ts';
import { findings } from './synthesized.ts';

test.each(CHOICE_NAMES)(
  'cdk-nag (AwsSolutions) finds only what is acknowledged with a reason in: %s',
  async (choice) => {
    expect(await findings(choice)).toBeNull();
  },
);
