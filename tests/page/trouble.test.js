// A controller that goes away and comes back, and a page that nobody looks at.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closePage, mockWorkload, openBrowser, openPage, Stack } from './harness.js';

let browser;
let stack;
before(async () => {
  browser = await openBrowser();
  stack = await Stack.open();
});
after(async () => {
  await browser.close();
  await stack.close();
});

const REFUSED = /net::ERR_(CONNECTION_|EMPTY_RESPONSE)/;

test('a controller that stopped is said to be away, what was known stays, and it recovers by itself', async () => {
  await stack.api('workloads', mockWorkload({ name: 'waits' }));
  const page = await openPage(browser, stack);
  const banner = page.getByRole('alert');
  await page.getByRole('link', { name: 'w1' }).waitFor();
  assert.equal(await page.locator('#banner').isVisible(), false);

  await stack.controller.stop();
  await banner.getByText('The controller does not answer').waitFor();
  assert.ok((await banner.textContent()).includes(stack.url));
  assert.ok(await page.getByRole('link', { name: 'w1' }).isVisible());

  await stack.restartController();
  await page.locator('#banner').waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: 'w1' }).click();
  await page.getByRole('heading', { name: 'waits w1' }).waitFor();
  await closePage(page, REFUSED);
});

test('a cancellation that no controller hears says so', async () => {
  const page = await openPage(browser, stack, '#/workloads/w1');
  await page.getByRole('button', { name: 'Cancel\u2026' }).click();
  await stack.controller.stop();
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('Not cancelled: The controller does not answer.').waitFor();
  await stack.restartController();
  await page.locator('#banner').waitFor({ state: 'hidden' });
  await closePage(page, REFUSED);
});

test('a hidden page asks nothing, and asks at once when it is seen again', async () => {
  const page = await openPage(browser, stack);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  const setHidden = (hidden) => page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
  let asked = 0;
  page.on('request', () => { asked += 1; });
  await page.waitForTimeout(4000);
  assert.ok(asked > 0, 'it asks while it is seen');

  await setHidden(true);
  await page.waitForTimeout(500);
  asked = 0;
  await page.waitForTimeout(4000);
  assert.equal(asked, 0);

  const request = page.waitForRequest(/api\/v1/, { timeout: 500 });
  await setHidden(false);
  await request;
  await closePage(page);
});
