import { limitTests } from '../../harness/each-test.ts';
import { describeWhere } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { type Receiver, startReceiver } from '../acceptance/receiver.ts';
import { installMiniStack, type MiniStack, runCdk, startMiniStack } from './ministack.ts';

/** Milliseconds that a command of the CDK may take on a busy machine; `keys reseal` waits six minutes. A mistake fails much earlier. */
const TIMEOUT = 900_000;

export type EmulatedAccount = {
  /** For the files of a suite. */
  readonly folder: string;
  readonly ministack: MiniStack;
  /** Its certificate is trusted by what is deployed. */
  readonly receiver: Receiver;
  /** Prepares the account for the CDK. */
  readonly bootstrap: () => Promise<string>;
  /** Runs `cdk deploy` as an operator does. */
  readonly deploy: (...words: readonly string[]) => Promise<string>;
};

/** Calls `describe` with an account of the emulator, which it starts and stops, or says why there is no emulator. */
export function describeEmulated(name: string, tests: (account: EmulatedAccount) => void): void {
  limitTests(TIMEOUT);
  describeWhere(installMiniStack(), `${name}, in an emulated account`, () => {
    const folder = temporaryFolder();
    let ministack: MiniStack | undefined;
    let receiver: Receiver | undefined;
    beforeAll(async () => {
      receiver = await startReceiver();
      ministack = await startMiniStack({ VA_WAVE_LOCAL_CA_FILE: receiver.authorityFile });
    });
    afterAll(async () => {
      await ministack?.stop();
      await receiver?.stop();
    });
    const started = <T>(part: T | undefined): T => {
      if (part === undefined) throw new Error('The emulated account has not been started');
      return part;
    };
    tests({
      folder,
      get ministack() {
        return started(ministack);
      },
      get receiver() {
        return started(receiver);
      },
      bootstrap: () => runCdk(started(ministack), folder, ['bootstrap', 'aws://000000000000/us-east-1']),
      deploy: (...words) => runCdk(started(ministack), folder, ['deploy', '--require-approval', 'never', ...words]),
    });
  });
}
