import { CHOICE_NAMES } from './deployment-choices.ts';
import { findings } from './synthesized.ts';

test.each(CHOICE_NAMES)(
  'cdk-nag (AwsSolutions) finds nothing in %s that is not acknowledged with a reason',
  async (choice) => {
    expect(await findings(choice)).toBeNull();
  },
);
