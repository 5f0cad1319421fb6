// app.js -- shows the view of the address and keeps it current.
//
// A view is {refresh(): Promise<bool active>, render(): nodes, title(): text} and may have
// mounted(main), called after each drawing, close(), and announce(): text to be read aloud when it
// changes. refresh() throws an ApiError when the controller could not answer.
import { api, ApiError, setToken } from './api.js';
import { h, morph } from './dom.js';
import { time } from './format.js';
import { currentRoute } from './router.js';
import { homeView } from './view_home.js';
import { submitView } from './view_submit.js';
import { workloadView } from './view_workload.js';

const BUSY_MS = 1000;
const IDLE_MS = 3000;

const main = document.getElementById('main');
const banner = document.getElementById('banner');
const status = document.getElementById('status');
const tokenPlace = document.getElementById('token');
let view = null;
let timer = 0;
let answeredAt = null;

function show(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}

function draw() {
  morph(main, h('main', null, view.render()));
  view.mounted?.(main);
  const title = `${view.title()} \u2013 Loadstone`;
  if (document.title !== title) document.title = title;
  const said = view.announce?.() ?? '';
  if (status.textContent !== said) status.textContent = said;
}

function showTrouble(error) {
  if (error.status !== 0) return show(banner, `The controller could not answer: ${error.message}`);
  const since = answeredAt ? ` What is shown is from ${time(answeredAt)}.` : '';
  show(banner, `The controller does not answer at ${location.origin}.${since} Trying again.`);
}

// One turn: ask, draw, and come back. Only the newest view's turn goes on.
async function tick() {
  clearTimeout(timer);
  const mine = view;
  let active = false;
  try {
    active = await mine.refresh();
    answeredAt = new Date();
    if (mine === view) show(banner, '');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (mine === view) showTrouble(error);
  }
  if (mine !== view) return;
  draw();
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(tick, active ? BUSY_MS : IDLE_MS);
}

// In-page question for the token; resolves to false when it was put aside.
function askToken(message) {
  return new Promise((resolve) => {
    const field = h('input', { type: 'password', id: 'token-field', autocomplete: 'off', required: true });
    const close = (given) => {
      tokenPlace.replaceChildren();
      resolve(given);
    };
    const form = h('form', {
      class: 'notice warn',
      onsubmit: (event) => {
        event.preventDefault();
        setToken(field.value);
        close(true);
      },
    },
    h('label', { for: 'token-field' }, message), field,
    h('button', { type: 'submit' }, 'Use this token'),
    h('button', { type: 'button', class: 'plain', onclick: () => close(false) }, 'Not now'));
    tokenPlace.replaceChildren(form);
    field.focus();
  });
}

// Does what changes something; asks for the token as often as the controller wants one.
async function change(action) {
  let message = 'This controller wants its token before anything is changed:';
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (error.status !== 401 || !await askToken(message)) throw error;
      message = 'The controller did not accept that token. Its token:';
    }
  }
}

function viewOf({ parts, query }) {
  const tools = { change, redraw: draw, refresh: tick };
  const [page, id, stage] = parts;
  if (page === undefined) return homeView(tools, query.get('before'));
  if (page === 'submit') return submitView(tools);
  if (page === 'workloads' && id) return workloadView(tools, id, stage);
  return {
    refresh: async () => { await api.info(); return false; },
    render: () => [h('h1', null, 'There is no such page'), h('p', null, h('a', { href: '#/' }, 'Overview'))],
    title: () => 'No such page',
  };
}

function navigate() {
  const fresh = viewOf(currentRoute());
  const first = view === null;
  view?.close?.();
  view = fresh;
  main.replaceChildren();
  tokenPlace.replaceChildren();
  for (const link of document.querySelectorAll('.top nav a')) {
    const here = link.hash === (location.hash.split('?')[0] || '#/');
    if (here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  draw();
  if (!first) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  tick();
}

addEventListener('hashchange', navigate);
document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  if (!document.hidden) tick();
});
navigate();
api.info().then(({ name, version }) => {
  show(document.getElementById('controller'), name === 'N/A' ? `Version ${version}` : `${name}, version ${version}`);
}).catch(() => { /* the banner says it */ });
