// Renders the page from its JSON, the first of its scripts. It computes no score: each number shown is one of the
// JSON's, and elements with data-path say which, rounded for reading by data-digits.
'use strict';
const report = JSON.parse(document.querySelector('script[type="application/json"]').textContent);

// ---- Elements

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const valueAt = (path) => path.split('.').reduce((value, key) => value?.[key], report);

function shown(value, digits) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  return digits === 0 ? value.toLocaleString('en-GB') : value.toFixed(digits);
}

// A number of the JSON.
function number(path, digits = 4) {
  return element('span', {'data-path': path, 'data-digits': digits}, shown(valueAt(path), digits));
}

function row(tag, cells) {
  const line = element('tr');
  for (const cell of cells) line.append(cell instanceof HTMLTableCellElement ? cell : element(tag, {}, cell));
  return line;
}

