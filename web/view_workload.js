// view_workload.js -- #/workloads/ID and #/workloads/ID/STAGE: one workload, live and afterwards.
import { api, nowMs } from './api.js';
import { h } from './dom.js';
import { bandwidth, count, duration, millis, plural, rate, span, time } from './format.js';
import { linkTo } from './router.js';
import { StageCharts } from './stage_charts.js';
import { driverTable, errorTable, percentileTable, resultTable } from './result_tables.js';
import { diagnostics, errorColumn, figures, folded, hasEnded, isUnderWay, liveOf, notice, progress, shareDone,
  stagesDone, state, table } from './widgets.js';

// The stage to chart: the one asked for, the one that runs, or the longest that measured.
function chooseStage(workload, asked) {
  const find = (id) => workload.stages.find((stage) => stage.id === id);
  const measured = workload.stages.filter((stage) => stage.started_at);
  const weight = (stage) =>
    (stage.works.some((work) => work.type === 'normal') ? 1e18 : 0) + stage.elapsed_ns;
  const running = hasEnded(workload) ? undefined : find(workload.current_stage);
  return find(asked) ?? running ?? measured.sort((a, b) => weight(b) - weight(a))[0];
}

function timeLeft(stage) {
  if (!isUnderWay(stage)) return '';
  if (!stage.expected_ns) return 'not known';
  return duration(Math.max(0, stage.expected_ns - stage.elapsed_ns));
}

function stagesTable(workload, chosen, failedIn) {
  return table('Stages', [
    { title: 'Stage', cell: (stage) => h('a', {
      href: linkTo('workloads', workload.id, stage.id), title: 'Show its charts',
    }, stage.id) },
    { title: 'State', cell: (stage) => state(stage.state) },
    { title: 'Progress', cell: (stage) => progress(shareDone(stage), `Progress of ${stage.id}`) },
    { title: 'Elapsed', number: true, cell: (stage) => (stage.started_at ? duration(stage.elapsed_ns) : '') },
    { title: 'Left', number: true, cell: timeLeft },
    { title: 'Works', cell: (stage) =>
      stage.works.map((work) => `${work.name} (${plural(work.workers, 'worker')})`).join(', ') },
    { title: 'Failed', number: true, cell: (stage) => count(failedIn(stage)),
      hint: 'Operations that failed' },
    errorColumn(workload.stages),
  ], workload.stages, { hidden: true, rowKey: (stage) => stage.id, current: (stage) => stage === chosen });
}

function missionsDetails(stage) {
  if (stage.missions.length === 0) return null;
  return folded('missions', `Missions of ${stage.id}: the drivers\u2019 shares`,
    table(`Missions of ${stage.id}`, [
      { title: 'Driver', cell: (row) => row.driver },
      { title: 'Work', cell: (row) => row.work },
      { title: 'Workers', number: true, cell: (row) => count(row.workers) },
      { title: 'State', cell: (row) => state(row.state) },
      errorColumn(stage.missions),
    ], stage.missions, { hidden: true, rowKey: (row) => row.id }));
}

export function workloadView(tools, id, askedStage) {
  const charts = new StageCharts(id);
  let workload = null;
  let results = { results: [], errors: [] };
  let resultsOf = '';
  let config = null;
  let missing = '';
  let asking = false;   /* the question whether to cancel is open */
  let cancelError = '';
  let chosen = null;

  async function refresh() {
    try {
      workload = await api.workload(id);
    } catch (error) {
      if (error.status !== 404 && error.status !== 400) throw error;
      missing = error.message;
      return false;
    }
    missing = '';
    chosen = chooseStage(workload, askedStage);
    const mark = `${workload.state} ${workload.stages_done} ${workload.current_stage}`;
    if (mark !== resultsOf) {
      results = await api.results(id);
      resultsOf = mark;
    }
    config ??= await api.config(id);
    if (chosen?.started_at) await charts.refresh(chosen);
    return !hasEnded(workload);
  }

  async function cancel() {
    asking = false;
    try {
      await tools.change(() => api.cancel(id));
      cancelError = '';
    } catch (error) {
      cancelError = error.message;
    }
    await tools.refresh();
  }

  function ask(open) {
    asking = open;
    tools.redraw();
    document.querySelector(open ? '.confirm button' : '#cancel')?.focus();
  }

  function cancelPart() {
    if (hasEnded(workload)) return null;
    if (!asking) return h('button', { id: 'cancel', type: 'button', onclick: () => ask(true) }, 'Cancel\u2026');
    return h('div', { class: 'confirm', role: 'group', 'aria-label': 'Cancel the workload' },
      h('span', null, `Cancel ${id}? What was measured so far is kept.`),
      h('button', { type: 'button', class: 'danger', onclick: cancel }, 'Yes, cancel it'),
      h('button', { type: 'button', class: 'plain', onclick: () => ask(false) }, 'Let it run'));
  }

  function header() {
    const since = workload.started_at ? span(workload.started_at, workload.ended_at, nowMs()) : null;
    return [
      h('div', { class: 'headline' },
        h('h1', null, workload.name, ' ', h('small', null, id)), state(workload.state),
        stagesDone(workload, workload.stages), cancelPart()),
      workload.description && h('p', null, workload.description),
      workload.error && notice(hasEnded(workload) ? 'bad' : 'warn', h('p', null, workload.error)),
      cancelError && notice('bad', h('p', { role: 'alert' }, `Not cancelled: ${cancelError}`)),
      h('p', { class: 'meta' },
        h('span', null, `Submitted ${time(workload.submitted_at)}`),
        workload.started_at && h('span', null, `Started ${time(workload.started_at)}`),
        workload.ended_at && h('span', null, `Ended ${time(workload.ended_at)}`),
        since !== null && h('span', null, `${workload.ended_at ? 'Took' : 'Runs for'} ${duration(since)}`)),
      workload.state === 'queuing' && notice('', h('p', null,
        'It waits for the workloads before it. ', h('a', { href: '#/' }, 'See the overview.'))),
    ];
  }

  function liveFigures() {
    const live = liveOf(workload);
    return live && h('section', { 'aria-label': `Now, in ${live.stage}` }, figures([
      ['Throughput', rate(live.ops_per_s)], ['Bandwidth', bandwidth(live.bytes_per_s)],
      ['p99', millis(live.p99_ns / 1e6)], ['Failed so far', count(live.errors)],
    ]));
  }

  const failedIn = (stage) => {
    if (workload.live?.stage === stage.id) return workload.live.errors;
    const rows = results.results.filter((row) => row.stage_index === stage.index);
    return rows.length ? rows.reduce((sum, row) => sum + row.failed, 0) : null;
  };

  const bound = () => workload.stages.filter((stage) => stage.client_bound).map((stage) =>
    notice('warn', h('p', null, h('strong', null, `Client bound: ${stage.id}. `),
      'The drivers were the limit here, not the store: its figures say what the drivers can do. ',
      stage.client_bound_reason)));

  function resultSection() {
    const ran = (row) => workload.stages.find((stage) => stage.index === row.stage_index)?.ended_at;
    const rows = results.results.filter((row) => ran(row) && row.status !== 'aborted');
    return h('section', null, h('h2', null, 'Results'), bound(),
      rows.length === 0
        ? notice('', h('p', null, 'No stage has ended yet. Results come as each stage ends.'))
        : [
          resultTable(rows), percentileTable(rows),
          folded('drivers', 'Per driver', driverTable(rows)),
        ],
      results.errors.length > 0 && [h('h2', null, 'Errors'), errorTable(results.errors)]);
  }

  function render() {
    if (missing) return [h('h1', null, `No workload ${id}`), h('p', null, missing)];
    if (!workload) return h('p', { class: 'loading' }, 'Asking the controller\u2026');
    return [
      header(),
      liveFigures(),
      workload.diagnostics.length > 0 && folded('warnings',
        `${plural(workload.diagnostics.length, 'warning')} at submission`,
        diagnostics(workload.diagnostics)),
      h('section', null, h('h2', null, 'Stages'), stagesTable(workload, chosen, failedIn)),
      chosen && h('section', { 'data-key': `charts ${chosen.id}` },
        h('h2', null, `Over time: ${chosen.id}`), charts.places(), missionsDetails(chosen)),
      resultSection(),
      config !== null && folded('config', 'Configuration, secrets masked',
        h('pre', { class: 'scroll', tabindex: '0' }, config)),
    ];
  }

  function title() {
    if (!workload) return id;
    const { state: name, stages_done: done, stages_total: total } = workload;
    return `${name}${hasEnded(workload) ? '' : ` ${done}/${total}`} \u2013 ${workload.name} (${id})`;
  }

  const announce = () => workload &&
    `${workload.name} is ${workload.state}${chosen && !hasEnded(workload) ? `, ${chosen.id} is ${chosen.state}` : ''}.`;
  const mounted = (main) => charts.mount(main);
  return { refresh, render, title, announce, mounted, close: () => charts.close() };
}
