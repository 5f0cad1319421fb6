// result_tables.js -- what was measured: COSBench's columns, percentiles, drivers, failures.
import { h } from './dom.js';
import { bandwidth, bytes, count, millis, number, percent, rate } from './format.js';
import { table } from './widgets.js';

const PERCENTILES = ['50', '75', '80', '90', '95', '99', '99.9', '99.99', '100'];

// A figure as people read it; its tooltip has all digits.
const figure = (title, of, show, hint) => ({
  title, hint, number: true,
  cell: (row) => show(of(row)),
  exact: (row) => (of(row) === null ? null : String(of(row))),
});
const names = [
  { title: 'Operation', cell: (row) => row.label },
  { title: 'Stage', cell: (row) => row.stage },
  { title: 'Work', cell: (row) => row.work },
];

export function resultTable(rows) {
  return table('General report', [
    ...names,
    figure('Op-Count', (row) => row.op_count, count, 'Operations that succeeded, ramps left out'),
    figure('Byte-Count', (row) => row.byte_count, bytes),
    figure('Avg-ResTime', (row) => row.avg_restime_ms, millis, 'Mean time to the last byte'),
    figure('Avg-ProcTime', (row) => row.avg_proctime_ms, millis, 'Mean time without the transfer of the data'),
    figure('Throughput', (row) => row.throughput, rate),
    figure('Bandwidth', (row) => row.bandwidth, bandwidth),
    figure('Succ-Ratio', (row) => row.succ_ratio, percent),
    figure('Failed', (row) => row.failed, count),
    { title: 'Status', cell: (row) => [row.status, row.client_bound && h('strong', { class: 'bound' }, ' client bound')] },
  ], rows);
}

export function percentileTable(rows) {
  return table('Response time in ms that this share of operations did not exceed', [
    ...names,
    ...PERCENTILES.map((name) =>
      figure(name === '100' ? 'Max' : `${name} %`, (row) => row.percentiles_ms[name], number)),
  ], rows);
}

export function driverTable(rows) {
  const flat = rows.flatMap((row) => row.drivers.map((driver) =>
    ({ ...driver, label: row.label, stage: row.stage, work: row.work })));
  return table('Per driver', [
    { title: 'Driver', cell: (row) => row.driver },
    ...names,
    figure('Op-Count', (row) => row.op_count, count),
    figure('Byte-Count', (row) => row.byte_count, bytes),
    figure('Avg-ResTime', (row) => row.avg_restime_ms, millis),
    figure('p99', (row) => row.p99_ms, millis),
    figure('Throughput', (row) => row.throughput, rate),
    figure('Bandwidth', (row) => row.bandwidth, bandwidth),
    figure('Failed', (row) => row.failed, count),
  ], flat, { hidden: true });
}

export function errorTable(errors) {
  return table('Failed operations by cause', [
    { title: 'Cause', cell: (row) => h('code', null, row.cause) },
    { title: 'Count', number: true, cell: (row) => count(row.count) },
    { title: 'Stage', cell: (row) => row.stage },
    { title: 'Work', cell: (row) => row.work },
    { title: 'Operation', cell: (row) => row.operation },
    { title: 'Driver', cell: (row) => row.driver },
    { title: 'Message', cell: (row) => h('span', { class: 'long' }, row.message) },
    { title: 'Example', cell: (row) => h('span', { class: 'long' }, row.example) },
  ], errors, { hidden: true });
}
