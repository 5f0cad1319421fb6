// widgets.js -- pieces that several views show.
import { h } from './dom.js';
import { count } from './format.js';

const KINDS = {
  good: ['finished', 'completed', 'alive'],
  busy: ['processing', 'booting', 'submitting', 'authing', 'launching', 'running', 'closing',
    'launched'],
  bad: ['failed', 'terminated', 'lost', 'mismatch'],
  warn: ['cancelled', 'aborted', 'suspected', 'sleeping'],
};
const UNDER_WAY = [...KINDS.busy, 'sleeping'];
const ENDED = ['finished', 'failed', 'terminated', 'cancelled'];

export const hasEnded = (workload) => ENDED.includes(workload.state);
export const isUnderWay = (stage) => UNDER_WAY.includes(stage.state);

// The figures of now. In the first second there is no sample to take them from.
export const liveOf = (detail) => (detail?.live?.at_ns >= 1e9 ? detail.live : null);

// How far a stage came, 0 to 1; null: under way, nobody knows how far.
export function shareDone(stage) {
  if (stage.state === 'completed') return 1;
  if (stage.expected_ns) return Math.min(1, stage.elapsed_ns / stage.expected_ns);
  return isUnderWay(stage) ? null : 0;
}

export function state(name) {
  const kind = Object.keys(KINDS).find((key) => KINDS[key].includes(name)) ?? 'idle';
  return h('span', { class: `state ${kind}` }, name);
}

// columns: [{title, cell(row), number: bool, hint, exact(row)}], those that do not apply left out
// as false; the first is the header of its row.
export function table(caption, wanted, rows, { rowKey, current, hidden } = {}) {
  const columns = wanted.filter(Boolean);
  const head = columns.map((column) => h('th', {
    scope: 'col', class: column.number && 'number', title: column.hint,
  }, column.title));
  const line = (row) => h('tr', {
    'data-key': rowKey?.(row), 'aria-current': current?.(row) && 'true',
  }, columns.map((column, i) => h(i === 0 ? 'th' : 'td', {
    scope: i === 0 && 'row', class: column.number && 'number', title: column.exact?.(row),
  }, column.cell(row))));
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', null,
      h('caption', { class: hidden && 'hidden-text' }, caption),
      h('thead', null, h('tr', null, head)),
      h('tbody', null, rows.map(line))));
}

export function progress(share, label) {
  return h('progress', {
    max: '1', value: share === null ? null : String(share), 'aria-label': label,
  });
}

// stages: those of its detail, where it was fetched; the bar then knows parts of them.
export function stagesDone(workload, stages) {
  const total = workload.stages_total;
  const done = stages?.filter((stage) => stage.state === 'completed').length ?? workload.stages_done;
  const parts = stages?.reduce((sum, stage) => sum + (shareDone(stage) ?? 0), 0) ?? done;
  return h('span', { class: 'stages' },
    progress(total ? parts / total : 0, 'Stages done'),
    h('span', null, `${done} / ${total} stages`));
}

export function figures(pairs) {
  return h('dl', { class: 'figures' }, pairs.map(([name, value]) =>
    h('div', null, h('dt', null, name), h('dd', null, value))));
}

export function diagnostics(list) {
  return table('Diagnostics', [
    { title: 'Severity', cell: (row) => h('span', { class: `severity ${row.severity}` }, row.severity) },
    { title: 'Line', number: true, cell: (row) => (row.line > 0 ? count(row.line) : '') },
    { title: 'Element', cell: (row) => h('code', null, row.element) },
    { title: 'Attribute', cell: (row) => h('code', null, row.attribute) },
    { title: 'Message', cell: (row) => row.message },
  ], list, { hidden: true });
}

// The column of errors, where any row has one. What still runs says there what it waits for.
export const errorColumn = (rows, title = 'Error') => rows.some((row) => row.error) && {
  title, cell: (row) => h('span', { class: 'long' }, row.error),
};

// A part that is closed at first. Its key keeps it open when others come and go around it.
export const folded = (key, summary, ...content) =>
  h('details', { 'data-key': key }, h('summary', null, summary), content);

export function notice(kind, ...content) {
  return h('div', { class: `notice ${kind}` }, content);
}
