// Narrow screens, both colour schemes, the keyboard, and structure that screen readers use.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closePage, mockWorkload, openBrowser, openPage, Stack } from './harness.js';

const LONG = 'a-name-without-any-place-to-break-it-that-goes-on-and-on-and-on-and-on-and-on';
let browser;
let stack;
let views;
before(async () => {
  browser = await openBrowser();
  stack = await Stack.open();
  await stack.startDriver('driver1');
  const submit = async (options) => (await stack.api('workloads', mockWorkload(options))).id;
  const ended = await submit({ name: LONG, description: LONG, runtime: 2, errors: 0.1 });
  for (let turn = 0; turn < 100; turn += 1) {
    if ((await stack.api(`workloads/${ended}`)).ended_at) break;
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  const running = await submit({ name: LONG });
  views = ['#/', '#/submit', `#/workloads/${ended}`, `#/workloads/${running}`, '#/workloads/w999', '#/nowhere'];
});
after(async () => {
  await browser.close();
  await stack.close();
});

const settled = (page) => page.waitForFunction(() =>
  !document.querySelector('main').textContent.includes('Asking the controller')
  && (!document.querySelector('.headline') || document.querySelector('figure canvas')));
const NOT_FOUND = /status of 404/;

test('at 360 pixels nothing makes the page scroll sideways', async () => {
  for (const view of views) {
    const page = await openPage(browser, stack, view, { viewport: { width: 360, height: 740 } });
    await settled(page);
    for (const summary of await page.locator('summary').all()) await summary.click();
    assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), [360, 360], view);
    const beyond = await page.evaluate(() => [...document.querySelectorAll('main *')]
      .filter((node) => !node.closest('.scroll') && !node.closest('.hidden-text') && node.getBoundingClientRect().right > 360.5)
      .map((node) => node.outerHTML.slice(0, 120)));
    assert.deepEqual(beyond, [], view);
    await closePage(page, NOT_FOUND);
  }
});

test('charts follow the width of the window', async () => {
  const page = await openPage(browser, stack, views[2]);
  await settled(page);
  const widths = () => page.locator('figure').first().evaluate((figure) =>
    [figure.clientWidth, figure.querySelector('canvas').getBoundingClientRect().width]);
  await page.setViewportSize({ width: 400, height: 800 });
  await page.waitForFunction(() => {
    const figure = document.querySelector('figure');
    return figure.clientWidth < 400 && figure.querySelector('canvas').getBoundingClientRect().width === figure.clientWidth;
  });
  const [narrow] = await widths();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.waitForFunction((before) => {
    const figure = document.querySelector('figure');
    return figure.clientWidth > before && figure.querySelector('canvas').getBoundingClientRect().width === figure.clientWidth;
  }, narrow);
  await closePage(page);
});

// Contrast of every visible text against what lies behind it, after WCAG 2: the pairs below 4.5.
const faintTexts = (page) => page.evaluate(() => {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parse(colour).map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parse(colour)[3] ?? 1) > 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = [];
  for (const node of document.querySelectorAll('body *')) {
    const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!hasText || !node.checkVisibility() || node.closest('.hidden-text, .skip, noscript, option')) continue;
    const [one, other] = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) faint.push(`${node.outerHTML.slice(0, 100)}: ${ratio.toFixed(2)}`);
  }
  return faint;
});

for (const colorScheme of ['light', 'dark']) {
  test(`the ${colorScheme} scheme is ${colorScheme}, and all text stands out`, async () => {
    for (const view of views) {
      const page = await openPage(browser, stack, view, { colorScheme });
      await settled(page);
      const [r] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
      assert.ok(colorScheme === 'dark' ? r < 60 : r > 220, `background ${r}`);
      assert.deepEqual(await faintTexts(page), [], view);
      await closePage(page, NOT_FOUND);
    }
  });
}

test('a change of scheme repaints the charts', async () => {
  const page = await openPage(browser, stack, views[2], { colorScheme: 'light' });
  await settled(page);
  const swatch = () => page.locator('figure .swatch').first().evaluate((node) => getComputedStyle(node).borderTopColor);
  const before = await swatch();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction((old) =>
    getComputedStyle(document.querySelector('figure .swatch')).borderTopColor !== old, before);
  assert.equal(await page.locator('figure').first().locator('canvas').count(), 1);
  await closePage(page);
});

test('everything that can be used is reached by Tab and shows that it has the focus', async () => {
  for (const view of [views[0], views[1], views[3]]) {
    const page = await openPage(browser, stack, view);
    await settled(page);
    await page.evaluate(() => { document.body.tabIndex = -1; document.body.focus(); });
    const wanted = await page.locator('a:visible, button:visible, input:visible, textarea:visible, summary:visible').count();
    const seen = new Set();
    for (let i = 0; i < wanted + 30; i += 1) {
      await page.keyboard.press('Tab');
      const [name, outline] = await page.evaluate(() => {
        const node = document.activeElement;
        if (!node || node === document.body) return [null, ''];
        const all = [...document.querySelectorAll('a, button, input, textarea, summary')];
        return [all.includes(node) ? all.indexOf(node) : `other ${node.className}`, getComputedStyle(node).outlineStyle];
      });
      if (name === null) break;
      assert.notEqual(outline, 'none', `${view}: no outline at ${name}`);
      seen.add(name);
    }
    const reached = [...seen].filter((name) => typeof name === 'number').length;
    assert.ok(reached >= wanted, `${view}: ${reached} of ${wanted} reached`);
    await closePage(page, NOT_FOUND);
  }
});

test('tables have captions and headers, pages one main heading, fields labels', async () => {
  for (const view of views) {
    const page = await openPage(browser, stack, view);
    await settled(page);
    const flaws = await page.evaluate(() => [
      ...[...document.querySelectorAll('table')].filter((table) => !table.caption?.textContent).map(() => 'table without caption'),
      ...[...document.querySelectorAll('th')].filter((head) => !head.scope).map((head) => `th without scope: ${head.textContent}`),
      ...[...document.querySelectorAll('tbody tr')].filter((row) => row.cells[0].scope !== 'row').map(() => 'row without header'),
      ...[...document.querySelectorAll('input, textarea')].filter((field) => !field.labels.length).map((field) => `no label: ${field.id}`),
      ...(document.querySelectorAll('h1').length === 1 ? [] : ['not one h1']),
    ]);
    assert.deepEqual(flaws, [], view);
    await closePage(page, NOT_FOUND);
  }
});
