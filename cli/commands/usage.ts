import type { CliCommand } from '../command.ts';
import { textValue, wholeNumberOf } from '../values.ts';

type UsageOptions = {
  readonly token: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly ttsChars: number;
  readonly ttsProvider?: string;
};

export function addTo(usage: CliCommand): void {
  usage
    .command('report')
    .description('report the usage of a turn to the usage webhook of a session')
    .requiredOption('--token <session_token>', '@file, or @- for stdin, keeps it out of the process list')
    .requiredOption('--input-tokens <n>', 'input tokens of the turn', wholeNumberOf)
    .requiredOption('--output-tokens <n>', 'output tokens of the turn', wholeNumberOf)
    .option('--tts-chars <n>', 'characters of text-to-speech', wholeNumberOf, 0)
    .option('--tts-provider <name>', 'provider of text-to-speech')
    .examples('va-wave usage report --token @token.txt --input-tokens 120 --output-tokens 48')
    .withDeployment(async ({ output, context, cliProcess }, options: UsageOptions) => {
      const session_token = (await textValue('token', options.token, cliProcess)).trim();
      const usage = {
        input_tokens: options.inputTokens,
        output_tokens: options.outputTokens,
        total_tokens: options.inputTokens + options.outputTokens,
        tts_chars: options.ttsChars,
        tts_provider: options.ttsProvider ?? null,
      };
      output.object(await context.runtime.reportUsage({ session_token, usage }), 'Reported');
    });
}
