// view_home.js -- #/: drivers, what runs and waits, and what has ended.
import { api, nowMs } from './api.js';
import { h } from './dom.js';
import { bandwidth, count, duration, millis, plural, rate, span, time } from './format.js';
import { linkTo } from './router.js';
import { errorColumn, liveOf, notice, stagesDone, state, table } from './widgets.js';

const PAGE = 20;
const ACTIVE = 50;
const LIVE = 4; /* workloads whose live figures are fetched */

const nameOf = (row) => [h('a', { href: linkTo('workloads', row.id) }, row.id), ' ', row.name];

function driversSection(drivers) {
  if (drivers.length === 0) {
    return notice('', h('p', null, 'No driver yet. Drivers make the load; start one on each machine that shall:'),
      h('pre', null, `loadstone-driver --controller ${location.origin}`));
  }
  return table('Drivers', [
    { title: 'Name', cell: (row) => row.name },
    { title: 'State', cell: (row) => state(row.state) },
    { title: 'Address', cell: (row) => row.url },
    { title: 'Missions', number: true, cell: (row) => count(row.missions), hint: 'Shares of works it holds now' },
    { title: 'Threads', number: true, cell: (row) => count(row.threads) },
    { title: 'Version', cell: (row) => row.version },
    { title: 'Clock offset', number: true, cell: (row) => millis(row.clock_offset_ns / 1e6),
      hint: 'Its clock against the controller\u2019s' },
    { title: 'Last seen', cell: (row) => time(row.last_seen_at) },
  ], drivers, { hidden: true, rowKey: (row) => row.name });
}

function activeSection(active, details) {
  if (active.workloads.length === 0) {
    return notice('', h('p', null, 'Nothing runs. ', h('a', { href: '#/submit' }, 'Submit a workload'),
      ' here, or from a shell:'), h('pre', null, 'loadstone submit workload.xml'));
  }
  const figure = (key, show) => (row) => show(liveOf(details.get(row.id))?.[key]);
  const more = active.total - active.workloads.length;
  return [
    table('Running and queued workloads', [
      { title: 'Workload', cell: nameOf },
      { title: 'State', cell: (row) => state(row.state) },
      { title: 'Stages', cell: (row) => stagesDone(row, details.get(row.id)?.stages) },
      { title: 'Stage', cell: (row) => row.current_stage },
      { title: 'Throughput', number: true, cell: figure('ops_per_s', rate) },
      { title: 'Bandwidth', number: true, cell: figure('bytes_per_s', bandwidth) },
      { title: 'p99', number: true, cell: figure('p99_ns', (ns) => millis(ns / 1e6)) },
      { title: 'Failed', number: true, cell: figure('errors', count) },
      { title: 'Running for', number: true, cell: (row) => duration(span(row.started_at, null, nowMs())) },
      errorColumn(active.workloads, 'Note'),
    ], active.workloads, { hidden: true, rowKey: (row) => row.id }),
    more > 0 && h('p', null, `${plural(more, 'further workload')} in the queue.`),
  ];
}

function historySection(ended, before) {
  if (ended.workloads.length === 0) {
    return notice('', h('p', null, before ? 'Nothing older than this.' : 'No workload has ended yet.'));
  }
  return [
    table('Ended workloads', [
      { title: 'Workload', cell: nameOf },
      { title: 'State', cell: (row) => state(row.state) },
      { title: 'Stages', number: true, cell: (row) => count(row.stages_total) },
      { title: 'Submitted', cell: (row) => time(row.submitted_at) },
      { title: 'Duration', number: true, cell: (row) => duration(span(row.started_at, row.ended_at)) },
      { title: 'Operations', cell: (row) => row.op_info },
      errorColumn(ended.workloads),
    ], ended.workloads, { hidden: true, rowKey: (row) => row.id }),
    h('p', { class: 'pager' },
      h('span', null, `${plural(ended.total, 'workload')} in all`),
      before && h('a', { href: '#/' }, 'Newest'),
      ended.next_before && h('a', { href: `#/?before=${ended.next_before}` }, 'Older')),
  ];
}

export function homeView(tools, before) {
  let drivers = null;
  let active = null;
  let ended = null;
  const details = new Map(); /* of those that run, by id */

  async function refresh() {
    [drivers, active, ended] = await Promise.all([
      api.drivers().then((answer) => answer.drivers),
      api.workloads('active', ACTIVE),
      api.workloads('ended', PAGE, before),
    ]);
    const running = active.workloads.filter((row) => row.state === 'processing').slice(0, LIVE);
    const fresh = await Promise.all(running.map((row) => api.workload(row.id)));
    details.clear();
    for (const detail of fresh) details.set(detail.id, detail);
    return running.length > 0;
  }

  function render() {
    if (!ended) return h('p', { class: 'loading' }, 'Asking the controller\u2026');
    return [
      h('h1', { class: 'hidden-text' }, 'Overview'),
      h('section', null, h('h2', null, 'Running and queued'), activeSection(active, details)),
      h('section', null, h('h2', null, 'Drivers'), driversSection(drivers)),
      h('section', null, h('h2', null, 'History'), historySection(ended, before)),
    ];
  }

  function title() {
    if (!active) return 'Overview';
    const running = active.workloads.filter((row) => row.state === 'processing').length;
    if (running) return `${running} running`;
    return active.total ? `${active.total} queued` : 'Idle';
  }

  const announce = () => (active ? `${title()}. ${plural(drivers.length, 'driver')}.` : '');
  return { refresh, render, title, announce };
}
