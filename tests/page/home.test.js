// The overview: what it says when there is nothing, what it lists, how it pages.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closePage, mockWorkload, openBrowser, openPage, rowsOf, Stack } from './harness.js';

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

test('an empty controller says how to start a driver and how to submit', async () => {
  const page = await openPage(browser, stack, '/');
  await page.getByText(`loadstone-driver --controller ${stack.url}`).waitFor();
  await page.getByText('loadstone submit workload.xml').waitFor();
  await page.getByText('No workload has ended yet.').waitFor();
  assert.equal(await page.title(), 'Idle \u2013 Loadstone');
  await page.getByRole('link', { name: 'Submit a workload' }).click();
  await page.getByRole('heading', { name: 'Submit a workload' }).waitFor();
  await closePage(page);
});

test('what waits says for what, and history is paged', async () => {
  for (let i = 1; i <= 23; i += 1) {
    const { id } = await stack.api('workloads', mockWorkload({ name: `old-${i}` }));
    await stack.api(`workloads/${id}/cancel`, '');
  }
  await stack.api('workloads', mockWorkload({ name: 'waits' }));
  await stack.api('workloads', mockWorkload({ name: 'next' }));

  const page = await openPage(browser, stack);
  await page.getByRole('table', { name: 'Running and queued workloads' }).waitFor();
  await page.getByText('waiting for drivers').waitFor();
  const active = await rowsOf(page, 'Running and queued workloads');
  assert.deepEqual(active.map((row) => `${row.Workload.text}: ${row.State.text}`).sort(),
    ['w24 waits: processing', 'w25 next: queuing']);

  const names = async () => (await rowsOf(page, 'Ended workloads')).map((row) => row.Workload.text);
  assert.deepEqual(await names(), Array.from({ length: 20 }, (_, i) => `w${23 - i} old-${23 - i}`));
  await page.getByRole('link', { name: 'Older' }).click();
  await page.getByRole('link', { name: 'w3', exact: true }).waitFor();
  assert.deepEqual(await names(), ['w3 old-3', 'w2 old-2', 'w1 old-1']);
  await page.getByRole('link', { name: 'Newest' }).click();
  await page.getByRole('link', { name: 'w23', exact: true }).waitFor();
  await stack.api('workloads/w25/cancel', '');
  await stack.api('workloads/w24/cancel', '');
  await closePage(page);
});

test('a driver appears by itself, alive, with its address', async () => {
  const page = await openPage(browser, stack);
  await page.getByText('No driver yet.').waitFor();
  await stack.startDriver('driver1');
  await page.getByRole('table', { name: 'Drivers' }).waitFor();
  const rows = await rowsOf(page, 'Drivers');
  const { drivers: [driver] } = await stack.api('drivers');
  assert.equal(rows.length, 1);
  assert.equal(rows[0].Name.text, 'driver1');
  assert.equal(rows[0].State.text, 'alive');
  assert.equal(rows[0].Address.text, driver.url);
  assert.equal(rows[0].Threads.text, String(driver.threads));
  await closePage(page);
});

test('a running workload shows live figures that move', async () => {
  const { id } = await stack.api('workloads', mockWorkload({ name: 'live', errors: 0.2 }));
  const page = await openPage(browser, stack);
  const row = page.getByRole('row', { name: new RegExp(`${id} live`) });
  await row.getByText('op/s').waitFor();
  const [seen] = await rowsOf(page, 'Running and queued workloads');
  assert.ok(parseFloat(seen.Throughput.text) > 0, seen.Throughput.text);
  assert.match(seen.p99.text, /ms$/);
  const failed = async () => Number((await rowsOf(page, 'Running and queued workloads'))[0].Failed.text.replaceAll(',', ''));
  const earlier = await failed();
  await page.waitForTimeout(3000);
  assert.ok(await failed() > earlier, `failed stays at ${earlier}`);
  assert.equal(await page.title(), '1 running \u2013 Loadstone');
  await stack.api(`workloads/${id}/cancel`, '');
  await page.getByText('Nothing runs.').waitFor();
  await closePage(page);
});

test('COSBench\u2019s old address leads to the workload', async () => {
  const page = await openPage(browser, stack, '/controller/workload.html?id=w1');
  await page.getByRole('heading', { name: 'old-1 w1' }).waitFor();
  assert.equal(new URL(page.url()).hash, '#/workloads/w1');
  await closePage(page);
});

test('an unknown workload is said to be unknown', async () => {
  const page = await openPage(browser, stack, '#/workloads/w999');
  await page.getByRole('heading', { name: 'No workload w999' }).waitFor();
  await closePage(page, /status of 404/);
});
