// Renders the page from its JSON, the first of its scripts. It computes no score: each number shown
// is one of the JSON's, and elements with data-path say which, rounded for reading by data-digits,
// or times 100 by data-percent. What is counted or divided here (bins, shares of a row) has no
// data-path.
'use strict';
const report = JSON.parse(document.querySelector('script[type="application/json"]').textContent);

// ---- Elements

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);

const valueAt = (path) => path.split('.').reduce((value, key) => value?.[key], report);

function shown(value, digits) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  return digits === 0 ? value.toLocaleString('en-GB') : value.toFixed(digits);
}

const shownPercent = (share, digits = 1) =>
    (share === null || share === undefined ? '–' : (100 * share).toFixed(digits) + ' %');

// A number of the JSON.
function number(path, digits = 4) {
  return element('span', {'data-path': path, 'data-digits': digits}, shown(valueAt(path), digits));
}

// A share of the JSON, as a percentage.
function percent(path, digits = 1) {
  return element(
      'span', {'data-path': path, 'data-percent': digits}, shownPercent(valueAt(path), digits));
}

function row(tag, cells) {
  const line = element('tr');
  const head = (cell) => tag === 'th' && cell !== '';
  for (const cell of cells)
    line.append(
        cell instanceof HTMLTableCellElement ?
            cell :
            element(head(cell) ? 'th' : 'td', head(cell) ? {scope: 'col'} : {}, cell));
  return line;
}

// What is too wide scrolls, by the keyboard too.
const scrolling = (label, ...children) => element(
    'div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label}, ...children);

// ---- Numbers of a plot as text

// Below the plot, a table of `count` lines that is filled when it is opened; cell(i) gives the
// cells of the i-th, of which at most 25 are shown, evenly over all.
function tellNumbers(canvas, heads, count, cell) {
  const kMax = 25, each = Math.max(1, Math.ceil(count / kMax));
  const table = element('table'), name = canvas.getAttribute('aria-label');
  const details = element(
      'details', {class: 'numbers'}, element('summary', {}, 'Numbers'),
      scrolling('Numbers: ' + name, table));
  details.addEventListener('toggle', () => {
    if (table.rows.length) return;
    table.append(row('th', heads));
    for (let i = 0; i < count; i += each) table.append(row('td', cell(i)));
  });
  canvas.closest('figure').append(details);
}
