import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../local/cloud/listener.ts';
import { missingProgram } from '../../harness/programs.ts';
import { eventually } from '../../harness/until.ts';
import type { Installed } from './engine.ts';
import { programPath } from './engine.ts';

const PROGRAMS = {
  driver: programPath('WebKitWebDriver'),
  browser: programPath(
    process.env.MINI_BROWSER_PATH,
    '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
    '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  ),
  screen: programPath('Xvfb'),
};
/** The code points by which WebDriver names keys. */
const KEYS = { Tab: '\ue004', Enter: '\ue007', Escape: '\ue00c' };
const SHIFT = '\ue008';

/** WebKitGTK, the engine of Safari on Linux, by WebDriver and on a display of its own. */
export const webkit: Installed = {
  name: 'WebKitGTK',
  missing: missingProgram('WebKitGTK'),
  start: async () => {
    await using started = new AsyncDisposableStack();
    const run = (program: string | undefined, words: readonly string[], env: NodeJS.ProcessEnv = process.env) => {
      const child = spawn(program ?? '', words, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env });
      started.defer(() => ended(child));
      return child;
    };
    // Xvfb chooses a free display, and writes its number.
    const screen = run(PROGRAMS.screen, ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp']);
    const [number] = await once(screen.stdio[3] ?? screen, 'data');
    const port = await freePort();
    const driver = `http://127.0.0.1:${port}`;
    run(PROGRAMS.driver, [`--port=${port}`], { ...process.env, DISPLAY: `:${String(number).trim()}` });
    const send = async (method: string, path: string, body?: object): Promise<unknown> => {
      const response = await fetch(driver + path, { method, ...(body && { body: JSON.stringify(body) }) });
      const { value } = Object(await response.json());
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
      return value;
    };
    await eventually(() => fetch(`${driver}/status`).catch(() => undefined));
    const options = { binary: PROGRAMS.browser, args: ['--automation'] };
    const wanted = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
    const { sessionId } = Object(await send('POST', '/session', { capabilities: wanted }));
    const session = `/session/${sessionId}`;
    started.defer(async () => void (await send('DELETE', session)));
    const perform = (...actions: readonly object[]) => send('POST', `${session}/actions`, { actions });
    const keys = (values: readonly string[], shift = false) => {
      const strokes = values.flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      const held = shift ? [{ type: 'keyDown', value: SHIFT }, ...strokes, { type: 'keyUp', value: SHIFT }] : strokes;
      return perform({ type: 'key', id: 'keys', actions: held });
    };
    const running = started.move();
    return {
      open: (url) => send('POST', `${session}/url`, { url }),
      reload: () => send('POST', `${session}/refresh`, {}),
      run: (expression) => send('POST', `${session}/execute/sync`, { script: `return (${expression})`, args: [] }),
      click: (x, y) => {
        const at = { type: 'pointerMove', duration: 0, origin: 'viewport', x: Math.round(x), y: Math.round(y) };
        const [down, up] = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }));
        const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' } };
        return perform({ ...pointer, actions: [at, down, up] });
      },
      type: (text) => keys(Array.from(text)),
      press: (key, shift) => keys([KEYS[key]], shift),
      wheel: (x, y, by) => {
        const scroll = { type: 'scroll', duration: 0, origin: 'viewport', deltaX: 0, deltaY: by };
        return perform({ type: 'wheel', id: 'wheel', actions: [{ ...scroll, x: Math.round(x), y: Math.round(y) }] });
      },
      // The window has a title bar. The page must have this size.
      resize: async (width, height) => {
        await send('POST', `${session}/window/rect`, { width, height });
        const script = 'return [innerWidth, innerHeight]';
        const [w, h] = Array.from(Object(await send('POST', `${session}/execute/sync`, { script, args: [] })), Number);
        await send('POST', `${session}/window/rect`, { width: 2 * width - (w ?? 0), height: 2 * height - (h ?? 0) });
      },
      stop: () => running.disposeAsync(),
    };
  },
};

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
