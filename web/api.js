// api.js -- the controller's JSON API. Every failure is an ApiError shaped like the protocol's error
// object; status 0 means that nothing answered.

const BASE = '/api/v1/';
const TIMEOUT_MS = 8000;
const TOKEN_KEY = 'loadstone-token';

export class ApiError extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.diagnostics = error.diagnostics ?? [];
  }
}

// The token lives as long as the tab: it is never written to disk.
export function setToken(token) {
  sessionStorage.setItem(TOKEN_KEY, token);
}

// The controller's clock, to the second: the browser's may stand elsewhere.
let clockOffsetMs = 0;
export const nowMs = () => Date.now() + clockOffsetMs;

async function request(method, path, body) {
  const headers = {};
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (method === 'POST' && token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/xml';
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(BASE + path, { method, headers, body, signal, cache: 'no-store' });
    const date = Date.parse(response.headers.get('Date'));
    if (Math.abs(Date.now() - date) > 2000) clockOffsetMs = date - Date.now();
    return { response, text: await response.text() };
  } catch {
    throw new ApiError(0, { code: 'network', message: 'The controller does not answer.' });
  }
}

async function call(method, path, body) {
  const { response, text } = await request(method, path, body);
  let json = null;
  try {
    json = JSON.parse(text);
  } catch { /* said below */ }
  if (response.ok && json !== null) return json;
  throw new ApiError(response.status, json?.error ?? {
    code: 'protocol',
    message: `The controller answered ${response.status} without saying why.`,
  });
}

const get = (path) => call('GET', path);
const workload = (id, rest = '') => `workloads/${encodeURIComponent(id)}${rest}`;

function query(values) {
  const known = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return `?${new URLSearchParams(known)}`;
}

export const api = {
  info: () => get('info'),
  drivers: () => get('drivers'),
  workloads: (state, limit, before) => get(`workloads${query({ state, limit, before })}`),
  workload: (id) => get(workload(id)),
  results: (id) => get(workload(id, '/results')),
  samples: (id, stage, after) => get(workload(id, `/samples${query({ stage, after_ns: after })}`)),
  validate: (xml) => call('POST', 'validate', xml),
  submit: (xml) => call('POST', 'workloads', xml),
  cancel: (id) => call('POST', workload(id, '/cancel')),
  async config(id) {
    const { response, text } = await request('GET', workload(id, '/config'));
    if (!response.ok) throw new ApiError(response.status, { code: 'store', message: text });
    return text;
  },
};
