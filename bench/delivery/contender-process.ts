import type { Contender, Measurement } from './contender.ts';

// Runs one contender in a separate process, so that its CPU time can be measured: `contender-process.ts <module> <settings as JSON>`.

const [, , module = '', settings = ''] = process.argv;
const { start }: { start: (settings: object) => Promise<Contender> } = await import(module);
const contender = await start(JSON.parse(settings));

process.on('message', async (seconds: number) => {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const deliveries = await contender(() => performance.now() - startedAt >= seconds * 1000);
  const { user, system } = process.cpuUsage(cpu);
  const measurement: Measurement = {
    deliveries,
    seconds: (performance.now() - startedAt) / 1000,
    cpuMs: (user + system) / 1000,
  };
  process.send?.(measurement);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
