// view_submit.js -- #/submit: a workload from a file or typed, checked and submitted.
import { api } from './api.js';
import { h } from './dom.js';
import { plural } from './format.js';
import { linkTo } from './router.js';
import { diagnostics, notice } from './widgets.js';

const EXAMPLE = `<?xml version="1.0" encoding="UTF-8"?>
<!-- The storage "mock" answers by a timer: this runs without any store. -->
<workload name="first-try" description="reads that take 10 ms each">
  <storage type="mock" config="delay=10" />
  <workflow>
    <workstage name="main">
      <work name="main" workers="8" runtime="15">
        <operation type="read" ratio="100" config="containers=u(1,2);objects=u(1,100)" />
      </work>
    </workstage>
  </workflow>
</workload>
`;
let draft = ''; /* what was typed, kept while other views are looked at */

const errorsIn = (list) => list.filter((row) => row.severity === 'error').length;

export function submitView(tools) {
  let outcome = null; /* {kind, text, list} */
  let working = '';   /* what is being done */

  const field = () => document.getElementById('xml');

  function edited() {
    draft = field().value;
    if (outcome) {
      outcome = null;
      tools.redraw();
    }
  }

  function put(text) {
    field().value = text;
    edited();
  }

  async function chooseFile(event) {
    const [file] = event.target.files;
    if (file) put(await file.text());
    event.target.value = '';
  }

  // Runs one of the two requests and keeps what came of it.
  async function attempt(what, request) {
    working = what;
    outcome = null;
    tools.redraw();
    try {
      outcome = await request();
    } catch (error) {
      outcome = { kind: 'bad', text: error.message, list: error.diagnostics ?? [] };
    }
    working = '';
    tools.redraw();
  }

  const validate = () => attempt('Validating', async () => {
    const { ok, diagnostics: list } = await api.validate(field().value);
    const warnings = list.length - errorsIn(list);
    if (!ok) return { kind: 'bad', text: `Not valid: ${plural(errorsIn(list), 'error')}.`, list };
    return { kind: 'good', text: `Valid${warnings ? `, with ${plural(warnings, 'warning')}` : ''}.`, list };
  });

  const submit = () => attempt('Submitting', async () => {
    const { id } = await tools.change(() => api.submit(field().value));
    location.hash = linkTo('workloads', id);
    return null;
  });

  // Selects the line of the first error, where the reader's eye should go.
  function goToLine() {
    const line = outcome.list.find((row) => row.line > 0).line;
    const lines = field().value.split('\n');
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    field().focus();
    field().setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    field().scrollTop = (line - 3) * (field().scrollHeight / lines.length);
  }

  function outcomePart() {
    if (working) return h('p', null, `${working}\u2026`);
    if (!outcome) return null;
    const { kind, text, list } = outcome;
    return [
      notice(kind, h('p', null, text),
        list.some((row) => row.line > 0)
          && h('button', { type: 'button', class: 'plain', onclick: goToLine }, 'Go to the first line named')),
      list.length > 0 && diagnostics(list),
    ];
  }

  function render() {
    return [
      h('h1', null, 'Submit a workload'),
      h('p', null, 'Choose a workload file, or write or paste its XML. ',
        'The workload files of COSBench are understood.'),
      h('form', { onsubmit: (event) => { event.preventDefault(); submit(); } },
        h('div', { class: 'row' },
          h('label', { for: 'file' }, 'Workload file'),
          h('input', { type: 'file', id: 'file', accept: '.xml,text/xml,application/xml', onchange: chooseFile }),
          h('button', { type: 'button', class: 'plain', onclick: () => put(EXAMPLE) }, 'Insert an example')),
        h('label', { for: 'xml' }, 'Workload XML'),
        h('textarea', { id: 'xml', rows: '18', spellcheck: 'false', autocomplete: 'off', wrap: 'off', oninput: edited }),
        h('div', { class: 'row' },
          h('button', { type: 'button', class: 'plain', disabled: working !== '', onclick: validate }, 'Validate'),
          h('button', { type: 'submit', disabled: working !== '' }, 'Submit'))),
      h('div', { role: 'status', id: 'outcome' }, outcomePart()),
    ];
  }

  // The field is the user's: filled once, never drawn over.
  function mounted() {
    if (field().dataset.filled) return;
    field().dataset.filled = 'yes';
    field().value = draft;
  }

  const refresh = async () => { await api.info(); return false; };
  return { refresh, render, mounted, title: () => 'Submit a workload' };
}
