// harness.js -- daemons on free loopback ports, a browser, and pages that must stay clean.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..', '..');
const build = process.env.LOADSTONE_BUILD ?? join(root, 'build', 'release');
const READY_MS = 10_000;

// Starts a program and waits for the line that names its address.
async function start(name, args) {
  const child = spawn(join(build, 'bin', name), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} is not ready:\n${said}`)), READY_MS);
    const listen = (bytes) => {
      said += bytes;
      const found = /(?:ready at|listening on) (http:\/\/[^/\s]+)/.exec(said);
      if (found) {
        clearTimeout(late);
        resolve(found[1]);
      }
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`${name} ended with ${code}:\n${said}`));
    });
  });
  const stop = () => new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });
  return { url, stop };
}

// A controller, and what a test starts beside it. close() ends and removes all of it.
export class Stack {
  static async open(...options) {
    const stack = new Stack();
    stack.folder = await mkdtemp(join(tmpdir(), 'loadstone-page-'));
    stack.options = options;
    stack.others = [];
    await stack.startController('0');
    return stack;
  }

  async startController(port) {
    this.controller = await start('loadstone-controller',
      ['--port', port, '--data-dir', this.folder, ...this.options]);
    this.url = this.controller.url;
  }

  async restartController() {
    await this.startController(new URL(this.url).port);
  }

  async startDriver(name) {
    this.others.push(await start('loadstone-driver',
      ['--controller', this.url, '--name', name, '--port', '0']));
  }

  async startTarget() {
    const target = await start('loadstone-target', ['--port', '0']);
    this.others.push(target);
    this.target = target.url;
  }

  async api(path, body) {
    const response = await fetch(`${this.url}/api/v1/${path}`, body === undefined ? {} : { method: 'POST', body });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  // A workload of the project, aimed at the target.
  async workload(name) {
    const xml = await readFile(join(root, 'workloads', `${name}.xml`), 'utf8');
    return xml.replaceAll('http://127.0.0.1:9000', this.target ?? 'http://127.0.0.1:9');
  }

  async close() {
    for (const process of [...this.others.reverse(), this.controller]) await process.stop();
    await rm(this.folder, { recursive: true });
  }
}

export const openBrowser = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'],
});

// A page that remembers what it must not have done: complained, failed, asked another site.
export async function openPage(browser, stack, path = '#/', options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(`exception: ${error.stack}`));
  page.on('dialog', (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(stack.url) && !request.url().startsWith('data:')) {
      page.faults.push(`request elsewhere: ${request.url()}`);
    }
  });
  page.setDefaultTimeout(15_000);
  await page.goto(path.startsWith('/') ? stack.url + path : `${stack.url}/controller/index.html${path}`);
  return page;
}

// Closes the page and says what was wrong with it. The browser itself writes a line to the console
// for every answer of 400 and above; `expected` matches the lines a test brings about.
export async function closePage(page, expected = /^$/) {
  await page.context().close();
  assert.deepEqual(page.faults.filter((fault) => !expected.test(fault)), []);
}

export const mockWorkload = ({ name = 'mock', runtime = 60, errors = 0, description = '' } = {}) => `
<workload name="${name}" description="${description}">
  <storage type="mock" config="delay=10;errors=${errors}" />
  <workflow>
    <workstage name="main">
      <work name="main" workers="4" runtime="${runtime}">
        <operation type="read" ratio="100" config="containers=u(1,2);objects=u(1,10)" />
      </work>
    </workstage>
  </workflow>
</workload>`;

// The rows of a table by its caption: one object per row, of column title to {text, title}.
export const rowsOf = (page, caption) => page.getByRole('table', { name: caption }).evaluate((table) => {
  const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  return [...table.tBodies[0].rows].map((row) => Object.fromEntries([...row.cells].map((cell, i) =>
    [titles[i], { text: cell.textContent, title: cell.title }])));
});
