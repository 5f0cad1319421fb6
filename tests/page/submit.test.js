// The submission form: what is refused and where, what is taken, names that look like markup, tokens.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { closePage, mockWorkload, openBrowser, openPage, rowsOf, Stack } from './harness.js';

let browser;
let stack;
before(async () => {
  browser = await openBrowser();
  stack = await Stack.open();
  await stack.startDriver('driver1');
});
after(async () => {
  await browser.close();
  await stack.close();
});

const BAD = mockWorkload().replace('workers="4" ', '').replace('ratio="100"', 'ratio="70"').trim();
const field = (page) => page.getByLabel('Workload XML');
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

test('a bad workload is refused with line, element and attribute of every fault', async () => {
  const { ok, diagnostics } = await stack.api('validate', BAD);
  assert.equal(ok, false);
  assert.ok(diagnostics.some((row) => row.line === 5 && row.attribute === 'workers'), JSON.stringify(diagnostics));

  const page = await openPage(browser, stack, '#/submit');
  for (const button of ['Validate', 'Submit']) {
    await field(page).fill(`${BAD} `); /* another edit clears what was said before */
    assert.equal(await page.getByRole('table', { name: 'Diagnostics' }).count(), 0);
    await press(page, button);
    await page.getByRole('table', { name: 'Diagnostics' }).waitFor();
    const rows = await rowsOf(page, 'Diagnostics');
    assert.deepEqual(
      rows.map((row) => [row.Severity, row.Line, row.Element, row.Attribute, row.Message].map((cell) => cell.text)),
      diagnostics.map((row) => [row.severity, row.line ? String(row.line) : '', row.element, row.attribute, row.message]));
  }
  await press(page, 'Go to the first line named');
  const selected = await field(page).evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.equal(selected, BAD.split('\n')[diagnostics.find((row) => row.line > 0).line - 1]);
  assert.equal((await stack.api('workloads')).total, 0, 'nothing may have been submitted');
  await closePage(page, /status of 400/);
});

test('what is not XML at all is refused with its line', async () => {
  const page = await openPage(browser, stack, '#/submit');
  await field(page).fill('<workload>\n<oops\n');
  await press(page, 'Submit');
  await page.getByRole('table', { name: 'Diagnostics' }).waitFor();
  const [row] = await rowsOf(page, 'Diagnostics');
  assert.ok(Number(row.Line.text) >= 2, JSON.stringify(row));
  await closePage(page, /status of 400/);
});

test('the example of the form is valid', async () => {
  const page = await openPage(browser, stack, '#/submit');
  await press(page, 'Insert an example');
  await press(page, 'Validate');
  await page.getByText('Valid.').waitFor();
  await closePage(page);
});

test('a chosen file is submitted, and the form leads to its workload; a draft stays', async () => {
  const file = join(stack.folder, 'chosen.xml');
  const xml = mockWorkload({ name: 'chosen', runtime: 1 });
  await writeFile(file, xml);
  const page = await openPage(browser, stack, '#/submit');
  await page.getByLabel('Workload file').setInputFiles(file);
  await page.waitForFunction((text) => document.getElementById('xml').value === text, xml);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.goBack();
  assert.equal(await field(page).inputValue(), xml);
  await press(page, 'Submit');
  await page.getByRole('heading', { name: /^chosen w\d+$/ }).waitFor();
  assert.match(new URL(page.url()).hash, /^#\/workloads\/w\d+$/);
  await page.waitForFunction(() => document.title.startsWith('finished'));
  await closePage(page);
});

test('markup in a name, a description or a stage is text', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const escaped = evil.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const xml = mockWorkload({ name: escaped, description: escaped, runtime: 1 });
  const page = await openPage(browser, stack, '#/submit');
  await field(page).fill(xml);
  await press(page, 'Submit');
  await page.waitForFunction(() => document.title.startsWith('finished'));
  assert.ok((await page.locator('h1').textContent()).startsWith(evil));
  assert.ok((await page.title()).includes(evil));
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('table', { name: 'Ended workloads' }).getByText(evil).waitFor();
  assert.equal(await page.locator('img').count(), 0);
  await closePage(page);
});

test('a controller with a token asks for it, again when it is wrong, and keeps the right one', async () => {
  const guarded = await Stack.open('--token', 'open-sesame');
  try {
    const page = await openPage(browser, guarded, '#/submit');
    await field(page).fill(mockWorkload({ name: 'guarded' }));
    await press(page, 'Submit');
    const token = page.getByLabel(/wants its token/);
    await token.waitFor();
    assert.equal(await token.getAttribute('type'), 'password');
    assert.ok(await token.evaluate((input) => input === document.activeElement));
    await token.fill('wrong');
    await press(page, 'Use this token');
    await page.getByLabel(/did not accept that token/).fill('open-sesame');
    await press(page, 'Use this token');
    await page.getByRole('heading', { name: 'guarded w1' }).waitFor();

    await press(page, 'Cancel\u2026');
    await press(page, 'Yes, cancel it');
    await page.waitForFunction(() => document.title.startsWith('cancelled'));
    assert.equal(await page.getByLabel(/token/).count(), 0, 'asked again although it was known');
    assert.deepEqual(await page.evaluate(() => Object.values(localStorage)), []);
    await closePage(page, /status of 401/);
  } finally {
    await guarded.close();
  }
});

test('the token can be put aside; the refusal is then said', async () => {
  const guarded = await Stack.open('--token', 'open-sesame');
  try {
    const page = await openPage(browser, guarded, '#/submit');
    await field(page).fill(mockWorkload());
    await press(page, 'Submit');
    await press(page, 'Not now');
    await page.locator('#outcome .notice.bad').waitFor();
    assert.equal((await guarded.api('workloads')).total, 0);
    await closePage(page, /status of 401/);
  } finally {
    await guarded.close();
  }
});
