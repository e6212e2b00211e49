import { findings } from './synthesized.ts';

test.each(['production', 'development', 'production with every option', 'development with every option'] as const)(
  'cdk-nag (AwsSolutions) finds nothing in %s that is not acknowledged with a reason',
  async (choice) => {
    expect(await findings(choice)).toBeNull();
  },
);
