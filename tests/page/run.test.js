// A workload from its start to its results, against the S3 target.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closePage, mockWorkload, openBrowser, openPage, rowsOf, Stack } from './harness.js';

let browser;
let stack;
before(async () => {
  browser = await openBrowser();
  stack = await Stack.open();
  await stack.startTarget();
  await stack.startDriver('driver1');
  await stack.startDriver('driver2');
});
after(async () => {
  await browser.close();
  await stack.close();
});

const ended = (page, state) => page.waitForFunction((name) => document.title.startsWith(name), state, { timeout: 60_000 });
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

// The second that the legend of a chart reads out, and how many pixels its first line covers.
const chartOf = (page, key) => page.locator(`figure[data-key^="${key}"]`).first().evaluate((figure) => {
  const [minutes, seconds] = /(\d+):(\d+)/.exec(figure.querySelector('.at').textContent)?.slice(1) ?? [0, 0];
  const wanted = getComputedStyle(figure.querySelector('.swatch')).borderTopColor.match(/\d+/g).map(Number);
  const canvas = figure.querySelector('canvas');
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let pixels = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 200 && wanted.every((value, k) => Math.abs(data[i + k] - value) < 12)) pixels += 1;
  }
  return { second: minutes * 60 + Number(seconds), pixels };
});

test('a workload runs: charts grow, stages proceed, results are those of the API', async () => {
  const xml = (await stack.workload('quickstart')).replace('runtime="12"', 'runtime="7"');
  const { id } = await stack.api('workloads', xml);
  const page = await openPage(browser, stack, `#/workloads/${id}`);
  await page.getByRole('heading', { name: 'Over time: s3-main' }).waitFor();
  await page.getByRole('button', { name: 'Cancel\u2026' }).waitFor();
  assert.match(await page.title(), /^processing 2\/5 \u2013 quickstart/);
  await page.getByText('2 / 5 stages').waitFor();

  const charts = ['rate', 'bandwidth', 'latency 1/op1', 'latency 1/op2'];
  await page.waitForFunction(() => /at 0:0[23]/.test(document.querySelector('figure .at')?.textContent));
  const earlier = await Promise.all(charts.map((key) => chartOf(page, key)));
  await page.waitForTimeout(2500);
  const later = await Promise.all(charts.map((key) => chartOf(page, key)));
  charts.forEach((key, i) => {
    assert.ok(later[i].second > earlier[i].second, `${key}: ${earlier[i].second} s, then ${later[i].second} s`);
    assert.ok(earlier[i].pixels > 20 && later[i].pixels > earlier[i].pixels,
      `${key}: its line covers ${earlier[i].pixels}, then ${later[i].pixels} pixels`);
  });
  const left = (await rowsOf(page, 'Stages'))[2].Left.text;
  assert.match(left, /^\d+(\.\d)? s$/, 'time left of the running stage');

  await ended(page, 'finished');
  await page.getByText('5 / 5 stages').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel\u2026' }).count(), 0);
  const stages = await rowsOf(page, 'Stages');
  assert.deepEqual(stages.map((row) => row.State.text), Array(5).fill('completed'));

  const { results } = await stack.api(`workloads/${id}/results`);
  const rows = await rowsOf(page, 'General report');
  assert.equal(rows.length, results.length);
  rows.forEach((row, i) => {
    const result = results[i];
    assert.deepEqual([row.Operation.text, row.Stage.text, row.Work.text], [result.label, result.stage, result.work]);
    assert.equal(row['Op-Count'].text.replaceAll(',', ''), String(result.op_count));
    const shown = Number(row.Throughput.text.replaceAll(',', '').replace(' op/s', ''));
    assert.ok(Math.abs(shown - result.throughput) <= result.throughput * 0.01, `${shown} is not ${result.throughput}`);
    assert.equal(row['Succ-Ratio'].text, '100 %');
    for (const [title, value] of Object.entries({
      'Byte-Count': result.byte_count, 'Avg-ResTime': result.avg_restime_ms, 'Avg-ProcTime': result.avg_proctime_ms,
      Throughput: result.throughput, Bandwidth: result.bandwidth, Failed: result.failed,
    })) assert.equal(row[title].title, String(value), `${result.label} ${title}`);
  });
  const percentiles = await rowsOf(page, 'Response time in ms that this share of operations did not exceed');
  percentiles.forEach((row, i) => {
    assert.equal(row['99 %'].title, String(results[i].percentiles_ms['99']));
    assert.equal(row.Max.title, String(results[i].percentiles_ms['100']));
  });

  await page.locator('summary', { hasText: 'Per driver' }).click();
  const reads = (await rowsOf(page, 'Per driver')).filter((row) => row.Operation.text === 'read');
  assert.deepEqual(reads.map((row) => row.Driver.text), ['driver1', 'driver2']);
  assert.equal(reads.reduce((sum, row) => sum + Number(row['Op-Count'].title), 0),
    results.find((row) => row.label === 'read').op_count);

  await page.getByText('Configuration, secrets masked').click();
  assert.ok((await page.locator('details pre').textContent()).includes('<workload name="quickstart"'));
  assert.ok(!(await page.content()).includes('loadstone-secret'));

  const { stages: reported } = await stack.api(`workloads/${id}`);
  for (const stage of reported) {
    const warning = page.getByText(`Client bound: ${stage.id}.`);
    assert.equal(await warning.count(), stage.client_bound ? 1 : 0, `warning about ${stage.id}`);
    if (stage.client_bound) assert.ok(await page.getByText(stage.client_bound_reason).first().isVisible());
  }
  await closePage(page);
});

test('another stage can be chosen, and an opened part stays open while the page goes on', async () => {
  const { id } = await stack.api('workloads', await stack.workload('delay-stage'));
  const page = await openPage(browser, stack, `#/workloads/${id}`);
  await page.getByText('Configuration, secrets masked').click();
  await ended(page, 'finished');
  assert.ok(await page.locator('details pre').isVisible());
  await page.getByRole('link', { name: 's1-before' }).click();
  await page.getByRole('heading', { name: 'Over time: s1-before' }).waitFor();
  await page.getByRole('link', { name: 's3-after' }).click();
  await page.getByRole('heading', { name: 'Over time: s3-after' }).waitFor();
  await closePage(page);
});

test('cancel asks first; no means no, yes ends it and keeps what was measured', async () => {
  const { id } = await stack.api('workloads', mockWorkload({ name: 'long' }));
  const page = await openPage(browser, stack, `#/workloads/${id}`);
  await page.locator('figure').first().waitFor();
  await press(page, 'Cancel\u2026');
  await press(page, 'Let it run');
  await page.waitForTimeout(1500);
  assert.equal((await stack.api(`workloads/${id}`)).state, 'processing');

  await press(page, 'Cancel\u2026');
  assert.ok(await page.getByRole('button', { name: 'Yes, cancel it' }).evaluate((button) => button === document.activeElement));
  await page.keyboard.press('Enter');
  await ended(page, 'cancelled');
  assert.equal((await stack.api(`workloads/${id}`)).state, 'cancelled');
  assert.equal(await page.locator('.headline .state').textContent(), 'cancelled');
  assert.match(await page.locator('#status').textContent(), /long is cancelled/);
  const [row] = await rowsOf(page, 'General report');
  assert.ok(Number(row['Op-Count'].title) > 0, 'what was measured is shown');
  await closePage(page);
});

test('a wrong secret shows its cause, with an example, in the table of errors', async () => {
  const xml = (await stack.workload('quickstart')).replace('secretkey=loadstone-secret', 'secretkey=wrong');
  const { id } = await stack.api('workloads', xml);
  const page = await openPage(browser, stack, `#/workloads/${id}`);
  await page.getByRole('table', { name: 'Failed operations by cause' }).waitFor();
  const [row] = await rowsOf(page, 'Failed operations by cause');
  assert.equal(row.Cause.text, 'http_403');
  assert.match(row.Example.text, /403 SignatureDoesNotMatch/);
  assert.ok(Number(row.Count.text) >= 1);
  await page.locator('.notice.bad').getByText('SignatureDoesNotMatch').waitFor();
  await closePage(page);
});

test('failures that come and go are counted, charted and explained', async () => {
  const { id } = await stack.api('workloads', mockWorkload({ name: 'faulty', errors: 0.1, runtime: 4 }));
  const page = await openPage(browser, stack, `#/workloads/${id}`);
  await page.locator('figure[data-key="failed"]').waitFor();
  await ended(page, 'finished');
  const { results: [result] } = await stack.api(`workloads/${id}/results`);
  const [row] = await rowsOf(page, 'General report');
  assert.ok(result.failed > 0);
  assert.equal(row.Failed.title, String(result.failed));
  assert.equal(row['Succ-Ratio'].text, `${(result.succ_ratio * 100).toFixed(2)} %`);
  const errors = await rowsOf(page, 'Failed operations by cause');
  assert.equal(errors.reduce((sum, error) => sum + Number(error.Count.text.replaceAll(',', '')), 0), result.failed);
  await closePage(page);
});
