// chart.js -- a line chart of one figure over a stage's time, with a legend that reads out the
// newest point, or the one under the cursor. Colours come from the style sheet.
import uPlot from './uPlot.esm.js';
import { h, morph } from './dom.js';
import { clock } from './format.js';

const HEIGHT = 190;
const COLOURS = 8; /* --c1 ... --c8 */
const DASHES = { solid: [], dashed: [7, 4], dotted: [2, 3] };
const dark = matchMedia('(prefers-color-scheme: dark)');

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour = (index) => style(`--c${(index % COLOURS) + 1}`);

export class Chart {
  // lines: [{label, colour: 0.., dash: 'solid' | 'dashed' | 'dotted'}]; format(value) for the
  // legend, tick(value) for the axis.
  constructor(host, { title, lines, format, tick }) {
    this.host = host;
    this.lines = lines;
    this.format = format;
    this.tick = tick;
    this.data = [[], ...lines.map(() => [])];
    this.plot = null;
    this.canvas = h('div', { class: 'plot', 'aria-hidden': 'true' });
    this.legend = h('ul', { class: 'legend' });
    host.replaceChildren(h('figcaption', null, title), this.canvas, this.legend);
    this.resized = new ResizeObserver(() => this.#resize());
    this.resized.observe(host);
    this.recolour = () => this.#draw();
    dark.addEventListener('change', this.recolour);
    this.#draw();
  }

  // data: [seconds, values of the first line, ...]; null where there is no value.
  set(data) {
    this.data = data;
    this.plot.setData(data);
    this.#readOut();
  }

  close() {
    dark.removeEventListener('change', this.recolour);
    this.resized.disconnect();
    this.plot.destroy();
  }

  #resize() {
    const width = this.host.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  #draw() {
    this.plot?.destroy();
    const axis = {
      stroke: style('--muted'),
      grid: { stroke: style('--line'), width: 1 },
      ticks: { show: false },
      font: '12px system-ui, sans-serif',
    };
    this.plot = new uPlot({
      width: this.host.clientWidth || 300,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'stage' } },
      scales: {
        x: { time: false, range: (_, from, to) => [0, Math.max(to ?? 0, 10)] },
        y: { range: (_, low, high) => [0, (high || 1) * 1.1] },
      },
      axes: [
        { ...axis, size: 28, values: (_, ticks) => ticks.map(clock) },
        { ...axis, size: 62, values: (_, ticks) => ticks.map(this.tick) },
      ],
      series: [{}, ...this.lines.map((line) => ({
        label: line.label, width: 2, stroke: colour(line.colour), dash: DASHES[line.dash],
        points: { show: () => this.data[0].length < 3 },
      }))],
      hooks: { setCursor: [() => this.#readOut()] },
    }, this.data, this.canvas);
    this.#readOut();
  }

  #readOut() {
    const last = this.data[0].length - 1;
    const index = this.plot?.cursor.idx ?? last;
    const items = this.lines.map((line, i) => {
      const swatch = h('span', { class: `swatch ${line.dash}` });
      swatch.style.borderTopColor = colour(line.colour);
      return h('li', null, swatch, `${line.label} `,
        h('b', null, this.format(this.data[i + 1][index])));
    });
    const at = index < 0 ? 'no sample yet' : `at ${clock(this.data[0][index])}`;
    morph(this.legend, h('ul', null, items, h('li', { class: 'at' }, at)));
  }
}
