import puppeteer from 'puppeteer-core';
import { missingProgram } from '../../harness/programs.ts';
import type { Installed } from './engine.ts';
import { programPath } from './engine.ts';

const path = programPath(process.env.FIREFOX_PATH, 'firefox-esr', 'firefox');

/** Firefox, which puppeteer-core drives by WebDriver BiDi. */
export const firefox: Installed = {
  name: 'Firefox',
  missing: missingProgram('Firefox'),
  start: async () => {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: path ?? '' });
    const page = await browser.newPage();
    return {
      open: (url) => page.goto(url),
      reload: () => page.reload(),
      run: (expression) => page.evaluate(expression),
      click: (x, y) => page.mouse.click(x, y),
      type: (text) => page.keyboard.type(text),
      press: async (key, shift = false) => {
        if (shift) await page.keyboard.down('Shift');
        await page.keyboard.press(key);
        if (shift) await page.keyboard.up('Shift');
      },
      wheel: async (x, y, by) => {
        await page.mouse.move(x, y);
        await page.mouse.wheel({ deltaY: by });
      },
      resize: (width, height) => page.setViewport({ width, height }),
      stop: () => browser.close(),
    };
  },
};
