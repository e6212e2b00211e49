import type { Contender, ContenderSettings, Measurement } from './contender.ts';

// Runs one contender in a separate process, so that its CPU time can be measured: `contender-process.ts <module> <settings as JSON>`.

const [, , module = '', text = ''] = process.argv;
const settings: ContenderSettings = JSON.parse(text);
const { start }: { start: (settings: ContenderSettings) => Promise<Contender> } = await import(module);
const contender = await start(settings);

process.on('message', async (seconds: number) => {
  await contender.prepare?.();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const deliveries = await contender.run(() => performance.now() - startedAt >= seconds * 1000);
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
