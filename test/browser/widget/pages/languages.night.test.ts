import { byDay } from '../../../harness/full.ts';
import { harness } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages that name their language as servers write it, and pages from right to left.

const cases: readonly [string, string, 'ltr' | 'rtl'][] = [
  ['pt_BR', 'pt', 'ltr'],
  ['iw', 'he', 'rtl'],
  ['yue-Hant', 'zh-hant', 'ltr'],
  ['de_DE.UTF-8', 'de', 'ltr'],
  ['xx', 'en', 'ltr'],
  ['pt-br', 'pt', 'ltr'],
  ['de_DE@euro', 'de', 'ltr'],
  ['de_DE_formal', 'de', 'ltr'],
  ['iw_IL', 'he', 'rtl'],
  ['AR', 'ar', 'rtl'],
  ['yue', 'zh-hant', 'ltr'],
  ['zh_TW', 'zh-hant', 'ltr'],
  ['zh_TW_#Hant', 'zh-hant', 'ltr'],
  ['zh_CN', 'zh', 'ltr'],
  ['cmn-Hans-CN', 'zh', 'ltr'],
  ['nn_NO', 'nb', 'ltr'],
  ['no', 'nb', 'ltr'],
  ['en_US', 'en', 'ltr'],
  ['C', 'en', 'ltr'],
  ['', 'en', 'ltr'],
];
test.each(byDay(5, cases))('<html lang="%s"> has the texts of %s, %s', async (written, language, direction) => {
  const { widget, errors } = await harness.visit({ html: `lang="${written}"` });
  await widget.launcher.waitFor();
  const root = widget.host.locator('.root');
  expect([await root.getAttribute('lang'), await root.getAttribute('dir')]).toEqual([language, direction]);
  expect(errors).toEqual([]);
});

test.each(byDay(2, ['fa', 'ku-Arab', 'ur', 'ckb', 'ps', 'yi', 'dv', 'he']))(
  'own texts in %s run from right to left',
  async (language) => {
    const { page, widget } = await harness.visit();
    await widget.launcher.waitFor();
    await page.evaluate(`vaWave('texts', { language: '${language}', title: 'x' })`);
    expect(await widget.host.locator('.root').getAttribute('dir')).toBe('rtl');
  },
);
