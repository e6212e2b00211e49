import { CHOICES } from './deployment-choices.ts';
import { findings } from './synthesized.ts';

test.each(Object.keys(CHOICES))(
  'cdk-nag (AwsSolutions) finds only what is acknowledged with a reason in: %s',
  async (choice) => {
    expect(await findings(choice)).toBeNull();
  },
);
