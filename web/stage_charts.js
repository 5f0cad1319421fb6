// stage_charts.js -- the samples of one stage, and its charts: throughput, bandwidth and failures
// of all operations, response time of each.
import { api } from './api.js';
import { Chart } from './chart.js';
import { h } from './dom.js';
import { bandwidth, bytesTick, millis, rate, tick } from './format.js';

const OVERLAP_NS = 3e9; /* asked for again: another driver's share may have come in late */

const SHORT_NS = 0.2e9;

const perSecond = (key) => (operation, sample) => operation[key] / (sample.length_ns / 1e9);
const keyOf = (operation) => `${operation.work_index}/${operation.operation}/${operation.label}`;

export class StageCharts {
  #id;
  #stage = '';
  #byTime = new Map();  /* samples by at_ns */
  #samples = [];        /* the same in order */
  #charts = new Map();  /* by key of its place */

  constructor(id) {
    this.#id = id;
  }

  async refresh(stage) {
    if (stage.id !== this.#stage) {
      this.#stage = stage.id;
      this.#byTime.clear();
      this.#samples = [];
    }
    const last = this.#samples.at(-1)?.at_ns ?? 0;
    const answer = await api.samples(this.#id, stage.id, Math.max(0, last - OVERLAP_NS));
    if (answer.stage !== this.#stage) return;
    for (const sample of answer.samples) this.#byTime.set(sample.at_ns, sample);
    this.#samples = [...this.#byTime.values()].sort((a, b) => a.at_ns - b.at_ns);
  }

  // What a rate can be made of: the last sample of a stage may cover a few ms only.
  #drawable() {
    const longest = Math.max(...this.#samples.map((sample) => sample.length_ns));
    return this.#samples.filter((sample) => sample.length_ns >= Math.max(SHORT_NS, longest / 2));
  }

  // The operations of the stage. A work that ended early is missing in later samples.
  #operations() {
    const found = new Map();
    for (const sample of this.#samples) {
      for (const operation of sample.operations) found.set(keyOf(operation), operation);
    }
    const works = new Set([...found.values()].map((operation) => operation.work_index));
    return [...found].sort().map(([key, operation]) => ({
      key,
      label: works.size > 1 ? `${operation.work}: ${operation.label}` : operation.label,
    }));
  }

  #wanted() {
    const operations = this.#operations();
    const each = (value) => operations.map((operation, i) => (
      { label: operation.label, colour: i, dash: 'solid', of: operation.key, value }));
    const charts = [
      { key: 'rate', title: 'Throughput, operations per second', format: rate, tick, lines: each(perSecond('good')) },
      { key: 'bandwidth', title: 'Bandwidth, bytes per second', format: bandwidth, tick: bytesTick, lines: each(perSecond('bytes')) },
    ];
    const failed = this.#samples.some((sample) =>
      sample.operations.some((operation) => operation.failed > 0));
    if (failed) {
      charts.push({ key: 'failed', title: 'Failed operations per second', format: rate, tick, lines: each(perSecond('failed')) });
    }
    operations.forEach((operation, i) => {
      const line = (label, dash, name) => (
        { label, colour: i, dash, of: operation.key, value: (values) => values[name] });
      charts.push({
        key: `latency ${operation.key}`,
        title: `Response time of ${operation.label}, ms`,
        format: millis,
        tick,
        lines: [line('avg', 'solid', 'avg_restime_ms'), line('p95', 'dashed', 'p95_ms'),
          line('p99', 'dotted', 'p99_ms')],
      });
    });
    return this.#drawable().length ? charts : [];
  }

  places() {
    const wanted = this.#wanted();
    if (wanted.length === 0) {
      return h('p', { class: 'loading' },
        this.#samples.length ? 'Too short for charts; see the results.' : 'No samples of this stage yet.');
    }
    return h('div', { class: 'charts' }, wanted.map(({ key }) =>
      h('figure', { 'data-key': key, 'data-keep': true })));
  }

  // Brings the charts in their places up to date, once those are in the page.
  mount(root) {
    const samples = this.#drawable();
    const seconds = samples.map((sample) => sample.at_ns / 1e9);
    const byKey = samples.map((sample) => new Map(sample.operations.map((operation) => [keyOf(operation), operation])));
    const live = new Map();
    for (const { key, title, lines, format, tick: onAxis } of this.#wanted()) {
      const place = root.querySelector(`figure[data-key="${CSS.escape(key)}"]`);
      let chart = this.#charts.get(key);
      if (chart?.host !== place || chart.lines.length !== lines.length) {
        chart?.close();
        chart = new Chart(place, { title, lines, format, tick: onAxis });
      }
      chart.set([seconds, ...lines.map((line) => samples.map((sample, i) => {
        const operation = byKey[i].get(line.of);
        return operation ? line.value(operation, sample) ?? null : null;
      }))]);
      live.set(key, chart);
    }
    for (const [key, chart] of this.#charts) if (!live.has(key)) chart.close();
    this.#charts = live;
  }

  close() {
    for (const chart of this.#charts.values()) chart.close();
    this.#charts.clear();
  }
}
