// dom.js -- elements from values, and a page brought up to date without losing its place.
//
// A view describes all of itself each time; morph() changes only what differs, so focus, selection,
// scroll positions and opened <details> stay. Text always goes in as text, never as markup.

const HANDLERS = ['onclick', 'onchange', 'oninput', 'onsubmit'];

// h('a', {href: '#/'}, 'text', child, [children], null): null, undefined and false are left out.
export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (HANDLERS.includes(name)) node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

function morphAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    const byUser = name === 'open' && old.nodeName === 'DETAILS';
    if (!fresh.hasAttribute(name) && !byUser) old.removeAttribute(name);
  }
  for (const name of HANDLERS) old[name] = fresh[name];
}

function morphNode(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
  } else if (!old.hasAttribute('data-keep')) {
    morphAttributes(old, fresh);
    morph(old, fresh);
  }
}

const keyOf = (node) => node.dataset?.key;

// Makes the children of old those of fresh. A child with data-key is matched by it; one with
// data-keep is left to its owner once it is there (a chart).
export function morph(old, fresh) {
  const keyed = new Map();
  for (const child of old.children) if (keyOf(child)) keyed.set(keyOf(child), child);
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = keyOf(child);
    const like = at && !keyOf(at) && at.nodeName === child.nodeName ? at : null;
    const match = key ? keyed.get(key) : like;
    if (!match || match.nodeName !== child.nodeName) {
      old.insertBefore(child, at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else old.insertBefore(match, at);
    morphNode(match, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}
