// format.js -- numbers as people read them. What there is none of is shown as a dash.

const NONE = '\u2013';
const isNone = (value) => value === null || value === undefined || !Number.isFinite(value);

const formats = new Map();
function digits(value, places) {
  if (!formats.has(places)) {
    formats.set(places, new Intl.NumberFormat('en-US', {
      minimumFractionDigits: places, maximumFractionDigits: places,
    }));
  }
  return formats.get(places).format(value);
}

export const count = (value) => (isNone(value) ? NONE : digits(value, 0));

// Three or four digits that say something: 1,235  123.5  12.35  0.012
export function number(value) {
  if (isNone(value)) return NONE;
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1000) return digits(value, 0);
  if (size >= 100) return digits(value, 1);
  return digits(value, size >= 0.1 ? 2 : 3);
}

// Powers of 1000, as COSBench and the workloads count them.
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'];
export function bytes(value) {
  if (isNone(value)) return NONE;
  let unit = 0;
  while (Math.abs(value) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? digits(value, 0) : digits(value, 2)} ${UNITS[unit]}`;
}
// On an axis: 0, 0.5, 20,000, 1.5 GB
const axis = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
export const tick = (value) => axis.format(value);
export function bytesTick(value) {
  const unit = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), UNITS.length - 1);
  return `${axis.format(value / 1000 ** unit)} ${UNITS[unit]}`;
}

export const rate = (value) => (isNone(value) ? NONE : `${number(value)} op/s`);
export const bandwidth = (value) => (isNone(value) ? NONE : `${bytes(value)}/s`);
export const millis = (value) => (isNone(value) ? NONE : `${number(value)} ms`);

// 100 % only when nothing failed.
export function percent(share) {
  if (isNone(share)) return NONE;
  const shown = share < 1 ? Math.min(share * 100, 99.99) : 100;
  return `${shown === 100 || shown === 0 ? shown : digits(shown, 2)} %`;
}

// 7 s, 1:05 min, 2:03:04 h
export function duration(ns) {
  if (isNone(ns)) return NONE;
  const exact = Math.max(0, ns / 1e9);
  if (exact < 9.95) return `${digits(exact, 1)} s`;
  const seconds = Math.round(exact);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${clock(seconds)} min` : `${clock(seconds)} h`;
}

// 0:07, 1:05, 2:03:04
export function clock(seconds) {
  const whole = Math.round(seconds);
  const two = (value) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

// Nanoseconds from one *_at to another, or to the instant nowMs.
export const span = (from, to, nowMs) =>
  (from ? ((to ? Date.parse(to) : nowMs) - Date.parse(from)) * 1e6 : null);

// Local time, 2026-11-30 21:02:59
export function time(at) {
  if (!at) return NONE;
  const date = at instanceof Date ? at : new Date(at);
  return date.toLocaleString('sv-SE');
}

export const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
