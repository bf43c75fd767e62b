// Renders the page from the evaluation's JSON. It computes no score: each number shown is one of the
// JSON's, and elements with data-path say which, rounded for reading by data-digits.
'use strict';
const report = JSON.parse(document.getElementById('evaluation').textContent);
const pictures = JSON.parse(document.getElementById('pictures').textContent);
const positive = report.positive;
const negative = 'not ' + positive;

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

// ---- Scores

const ratioNames = {
  accuracy: 'Accuracy', precision: 'Precision', recall: 'Recall', specificity: 'Specificity', f1: 'F1',
  iou: 'IoU', auc: 'AUC', average_precision: 'Average precision', brier: 'Brier score',
};

function ratioCell(pooling, name) {
  const cell = element('td', {}, number(`${pooling}.${name}`));
  const path = `intervals.${pooling}.${name}`;
  if (valueAt(path))
    cell.append(element('span', {class: 'interval'}, number(path + '.0'), ' – ', number(path + '.1')));
  return cell;
}

function showScores() {
  const many = report.images.length > 0;
  const table = document.getElementById('ratios');
  table.append(row('th', many ? ['', 'pooled', 'mean per image'] : ['', 'pooled']));
  for (const [name, title] of Object.entries(ratioNames)) {
    if (valueAt('pooled.' + name) === null && valueAt('mean_per_image.' + name) === null) continue;
    const cells = [title, ratioCell('pooled', name)];
    if (many) cells.push(ratioCell('mean_per_image', name));
    table.append(row('td', cells));
  }
  if (report.reliability)
    table.append(row('td', ['ECE', number('reliability.ece')].concat(many ? [''] : [])));
  const cell = (name, kind) => element('td', {class: kind}, number('pooled.' + name, 0));
  document.getElementById('confusion').append(
      row('th', ['Pixels', 'truly ' + positive, negative]),
      row('td', ['called ' + positive, cell('tp', 'right'), cell('fp', 'wrong')]),
      row('td', ['called ' + negative, cell('fn', 'wrong'), cell('tn', 'right')]));
  if (report.classes) showClasses();
  if (report.images.length > 1)
    document.getElementById('interval-note').append(
        'Below the scores: 95 % intervals by a bootstrap over images (', number('intervals.resamples', 0),
        ' resamples, seed ', number('intervals.seed', 0), '). Pooled AUC, average precision and Brier score ' +
        'have none. Means are over the images where a ratio is defined.');
}

// More than two classes: how many pixels of each were called each.
function showClasses() {
  const names = report.classes.classes;
  const table = document.getElementById('classes');
  table.hidden = false;
  table.append(row('th', ['Pixels'].concat(names.map((name) => 'called ' + name), ['accuracy'])));
  names.forEach((name, k) => table.append(row('td', ['truly ' + name].concat(
      names.map((_, called) => element('td', {class: called === k ? 'right' : ''},
                                       number(`classes.counts.${k}.${called}`, 0))),
      [number(`classes.recall.${k}`)]))));
  table.append(row('td', ['all'].concat(names.map(() => ''), [number('classes.accuracy')])));
}

function showSummary() {
  const line = document.getElementById('summary');
  if (report.model)
    line.append('Model: ', number('model.kind'), ' in ', number('model.space'), ' (' +
        report.model.channels.join(', ') + '). A pixel is ' + positive + ` when P(${positive}) > `,
        number('model.threshold', 4), ' (', number('model.rule'), '). ');
  else
    line.append('Masks judged as they are. ');
  if (report.images.length)
    line.append(`${report.images.length} image${report.images.length > 1 ? 's' : ''}.`);
  else
    line.append('A table of labelled pixels.');
}

// ---- Plots

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const charts = [];

// A plot is a function that makes its configuration, so that a change of colours can make it again.
function plot(canvas, configure) {
  const make = () => {
    Chart.defaults.color = colour('faint');
    Chart.defaults.borderColor = colour('rule');
    Chart.defaults.font.family = 'system-ui, sans-serif';
    return new Chart(canvas, configure());
  };
  charts.push({make, chart: make()});
}

function recolour() {
  for (const entry of charts) {
    entry.chart.destroy();
    entry.chart = entry.make();
  }
}

const points = (xs, ys) =>
    xs.map((x, i) => ({x: x ?? NaN, y: ys[i] ?? NaN, i})).filter((p) => !Number.isNaN(p.x + p.y));

function axis(title, low = 0, high = 1) {
  return {type: 'linear', min: low, max: high, title: {display: true, text: title},
          ticks: {maxTicksLimit: 8}};
}

// Each entry with the mark of its data.
function legendEntries(chart) {
  return Chart.defaults.plugins.legend.labels.generateLabels(chart).map((item) => {
    const dataset = chart.data.datasets[item.datasetIndex];
    return {...item, pointStyle: dataset.pointStyle ?? (dataset.type === 'bar' ? 'rect' : 'line')};
  });
}

function options(xTitle, yTitle, tooltip, extra = {}) {
  return {
    animation: false, maintainAspectRatio: false,
    interaction: {mode: 'nearest', intersect: false, axis: 'xy'},
    scales: {x: axis(xTitle), y: axis(yTitle)},
    plugins: {
      legend: {labels: {boxWidth: 14, usePointStyle: true, generateLabels: legendEntries}},
      tooltip: {displayColors: false, callbacks: {title: () => '', label: tooltip}},
    },
    ...extra,
  };
}

function line(label, data, name, more = {}) {
  return {type: 'scatter', label, data, showLine: true, borderColor: colour(name), backgroundColor: colour(name),
          borderWidth: 2, pointRadius: 0, pointHitRadius: 8, ...more};
}

const dot = (label, point, name) => ({
  type: 'scatter', label, data: [point], borderColor: colour(name), backgroundColor: colour(name),
  pointRadius: 6, pointHoverRadius: 8, pointStyle: 'rectRot', order: -1});

// What every curve tells of a point.
function curveLabel(context) {
  const i = context.raw.i;
  if (i === undefined) return context.dataset.label;
  const c = report.curves;
  const said = (name, title) => `${title} ${shown(c[name][i], 4)}`;
  return [
    (i === c.operating_point ? 'operating point: ' : '') + said('threshold', 'threshold'),
    said('log_odds', 'log-odds'), said('recall', 'recall'), said('precision', 'precision'),
    said('false_positive_rate', 'false-positive rate'), said('false_negative_rate', 'false-negative rate'),
    said('error_rate', 'error rate'), said('f1', 'F1')];
}

function curvePlot(id, x, y, xTitle, yTitle, baseline) {
  const c = report.curves, at = c.operating_point;
  plot(document.getElementById(id), () => ({data: {datasets: [
    line(yTitle + ' against ' + xTitle.toLowerCase(), points(c[x], c[y]), 'positive'),
    ...(c[x][at] === null || c[y][at] === null ? [] :
        [dot(`threshold ${shown(c.threshold[at], 4)}`, {x: c[x][at], y: c[y][at], i: at}, 'mark')]),
    ...(baseline ? [line('chance', baseline, 'faint', {borderDash: [4, 4], borderWidth: 1})] : []),
  ]}, options: options(xTitle, yTitle, curveLabel)}));
}

function errorPlot() {
  const c = report.curves, at = c.threshold[c.operating_point];
  plot(document.getElementById('errors'), () => ({data: {datasets: [
    line('all pixels', points(c.threshold, c.error_rate), 'mark'),
    line('false negatives', points(c.threshold, c.false_negative_rate), 'negative', {borderDash: [6, 3]}),
    line('false positives', points(c.threshold, c.false_positive_rate), 'positive', {borderDash: [2, 2]}),
    line(`threshold ${shown(at, 4)}`, [{x: at, y: 0}, {x: at, y: 1}], 'faint', {borderWidth: 1}),
  ]}, options: options(`Threshold on P(${positive})`, 'Rate', curveLabel,
                       {interaction: {mode: 'nearest', intersect: false, axis: 'x'}})}));
}

function reliabilityPlot() {
  const bins = report.reliability.bins.filter((bin) => bin.count > 0);
  const label = (context) => {
    const bin = bins[context.raw.i];
    return bin ? [`P in ${shown(bin.low, 3)} to ${shown(bin.high, 3)}`, `${shown(bin.count, 0)} pixels`,
                  `mean P ${shown(bin.mean_probability, 4)}`,
                  `share of ${positive} ${shown(bin.positive_share, 4)}`] : context.dataset.label;
  };
  plot(document.getElementById('reliability'), () => ({data: {datasets: [
    line('the model', bins.map((bin, i) => ({x: bin.mean_probability, y: bin.positive_share, i})), 'positive',
         {pointRadius: 4}),
    line('perfect calibration', [{x: 0, y: 0}, {x: 1, y: 1}], 'faint', {borderDash: [4, 4], borderWidth: 1}),
  ]}, options: options(`Mean P(${positive}) in the bin`, `Share of ${positive}`, label)}));
}

function logOddsPlot() {
  const h = report.log_odds;
  const bars = (shares, counts) =>
      shares.map((y, i) => ({x: h.low + (i + 0.5) * h.width, y, count: counts[i]}));
  const label = (context) => `${context.dataset.label}: ${shown(context.raw.count, 0)} pixels ` +
      `(share ${shown(context.raw.y, 4)})`;
  const threshold = report.operating_point.log_odds;
  const most = Math.max(0, ...h.positive_share, ...h.negative_share);
  const config = () => {
    const bar = (name, shares, counts, tint) => ({
      type: 'bar', label: name, data: bars(shares, counts), backgroundColor: colour(tint) + 'a0',
      barPercentage: 1, categoryPercentage: 1, grouped: false});
    const wide = options('Log-odds', 'Share of the class', label);
    wide.scales = {x: {...axis('Log-odds', h.low, h.low + h.width * h.positive.length), offset: false, grid: {offset: false}},
                   y: {...axis('Share of the class'), max: undefined}};
    wide.interaction = {mode: 'nearest', intersect: false, axis: 'x'};
    const datasets = [bar(positive, h.positive_share, h.positive, 'positive'),
                      bar(negative, h.negative_share, h.negative, 'negative')];
    if (threshold !== null)
      datasets.push({...line('threshold', [{x: threshold, y: 0, count: 0}, {x: threshold, y: most, count: 0}],
                             'mark', {borderWidth: 1.5}), pointHitRadius: 0});
    wide.plugins.tooltip.filter = (item) => item.dataset.type === 'bar';
    return {type: 'bar', data: {datasets}, options: wide};
  };
  plot(document.getElementById('log-odds'), config);
}

function showCurves() {
  document.getElementById('curves').hidden = false;
  const note = document.getElementById('curve-note');
  note.append('The diamond is the model\'s threshold: recall ', number('operating_point.recall'), ', precision ',
              number('operating_point.precision'), ', false-positive rate ',
              number('operating_point.false_positive_rate'), '. ');
  if (report.best_f1)
    note.append('The best F1 of these pixels, ', number('best_f1.f1'), ', is at a threshold of ',
                number('best_f1.threshold'), '. ');
  note.append('Drawn are at most some 500 points of ', number('curves.steps', 0), '; the areas are of all of them.');
  document.getElementById('roc-title').append('ROC, AUC ', number('pooled.auc'));
  document.getElementById('pr-title').append('Precision and recall, average precision ',
                                             number('pooled.average_precision'));
  document.getElementById('reliability-title').append('Reliability, Brier score ', number('pooled.brier'),
                                                      ', ECE ', number('reliability.ece'));
  curvePlot('roc', 'false_positive_rate', 'recall', 'False-positive rate', 'Recall', [{x: 0, y: 0}, {x: 1, y: 1}]);
  curvePlot('pr', 'recall', 'precision', 'Recall', 'Precision');
  errorPlot();
  reliabilityPlot();
  logOddsPlot();
}

// ---- The decision boundary

const classColours = ['positive', 'negative', 'third', 'faint'];

// The ellipse of so many standard deviations, projected on features a and b.
function ellipse(entry, a, b, deviations) {
  const [ma, mb] = [entry.mean[a], entry.mean[b]];
  const sa = Math.sqrt(entry.covariance[a][a]), slope = entry.covariance[a][b] / sa;
  const rest = Math.sqrt(Math.max(0, entry.covariance[b][b] - slope * slope));
  const corners = [];
  for (let i = 0; i <= 72; ++i) {
    const u = deviations * Math.cos(i * Math.PI / 36), v = deviations * Math.sin(i * Math.PI / 36);
    corners.push({x: ma + sa * u, y: mb + slope * u + rest * v});
  }
  return corners;
}

function planeDatasets(plane) {
  const decision = report.boundary, datasets = [];
  const boundary = plane.boundary.flatMap(([x1, y1, x2, y2]) => [{x: x1, y: y1}, {x: x2, y: y2}, {x: NaN, y: NaN}]);
  datasets.push(line('boundary', boundary, 'mark', {spanGaps: false, order: -2}));
  decision.classes.forEach((entry, k) => {
    const name = classColours[k % classColours.length];
    entry.gaussians.forEach((gaussian, i) => {
      const ring = (deviations) => ellipse(gaussian, plane.x, plane.y, deviations);
      datasets.push(line(i === 0 ? entry.name : '', ring(1), name, {order: -1, drawn: true}));
      datasets.push(line('', ring(2), name, {borderWidth: 1, order: -1, drawn: true}));
    });
  });
  for (const [key, label, name] of [['positive', positive, 'positive'], ['negative', negative, 'negative']])
    datasets.push({type: 'scatter', label: label + ' pixels',
                   data: decision.samples[key].map((f) => ({x: f[plane.x], y: f[plane.y]})),
                   backgroundColor: colour(name) + '70', borderWidth: 0, pointRadius: 2});
  return datasets;
}

function planePlot(plane, canvas) {
  const channels = report.boundary.channels;
  const [x, y] = [channels[plane.x], channels[plane.y]];
  const label = (context) => `${context.dataset.label}: ${x.name} ${shown(context.raw.x, 1)}, ` +
      `${y.name} ${shown(context.raw.y, 1)}`;
  plot(canvas, () => {
    const shape = options(x.name, y.name, label);
    shape.scales = {x: axis(x.name, x.low, x.high), y: axis(y.name, y.low, y.high)};
    shape.plugins.tooltip.filter = (item) => !item.dataset.drawn;  // ellipses are no numbers of the JSON
    shape.plugins.legend.labels.filter = (item) => item.text !== '' && !item.text.endsWith(' pixels');
    return {data: {datasets: planeDatasets(plane)}, options: shape};
  });
}

// A model of one channel: P(positive) along it.
function channelPlot(plane, canvas) {
  const channel = report.boundary.channels[plane.x], last = plane.probability.length - 1;
  const at = (i) => channel.low + (channel.high - channel.low) * i / last;
  plot(canvas, () => {
    const shape = options(channel.name, `P(${positive})`,
                          (context) => `${channel.name} ${shown(context.raw.x, 1)}: P ${shown(context.raw.y, 4)}`);
    shape.scales.x = axis(channel.name, channel.low, channel.high);
    return {data: {datasets: [
      line(`P(${positive})`, points(plane.probability.map((_, i) => at(i)), plane.probability), 'positive'),
      line('threshold', [{x: channel.low, y: report.model.threshold}, {x: channel.high, y: report.model.threshold}],
           'faint', {borderWidth: 1, borderDash: [4, 4]}),
    ]}, options: shape};
  });
}

function showDecision() {
  const planes = report.boundary.planes;
  document.getElementById('decision').hidden = false;
  document.getElementById('decision-note').append(planes[0].y === null ? `P(${positive}) along the only channel.` :
      `The line is where P(${positive}) is the threshold` +
      (planes[0].held ? ', cut through the colours where the third channel has the value above the plot' : '') +
      '. Ellipses are of one and two standard deviations of each Gaussian; they and the points, some of the pixels, ' +
      'are projected.');
  planes.forEach((plane, i) => {
    const names = [plane.x, plane.y].filter((f) => f !== null).map((f) => report.boundary.channels[f].name);
    const caption = element('figcaption', {}, names.join(' and '));
    if (plane.held)
      caption.append(`, slice at ${plane.held.channel} = `, number(`boundary.planes.${i}.held.value`, 1));
    const canvas = element('canvas', {role: 'img', 'aria-label': 'Decision boundary, ' + names.join(' and '),
                                      id: 'plane-' + i});
    document.getElementById('planes').append(element('figure', {}, caption, element('div', {class: 'plot'}, canvas)));
    (plane.y === null ? channelPlot : planePlot)(plane, canvas);
  });
}

// ---- Images

const panelNames = {photograph: 'photograph', truth: 'truth', probability: `P(${positive})`,
                    predicted: 'mask', errors: 'errors'};

function enlarge(source, caption) {
  const dialog = document.getElementById('enlarged');
  dialog.querySelector('img').src = source;
  dialog.querySelector('img').alt = caption;
  dialog.querySelector('p').textContent = caption;
  dialog.showModal();
}

function imageCard(index) {
  const name = report.images[index].name, panels = element('div', {class: 'panels'});
  for (const [key, source] of Object.entries(pictures[name] ?? {})) {
    const caption = `${name}: ${panelNames[key]}`;
    const button = element('button', {type: 'button', title: 'Enlarge'},
                           element('img', {src: source, alt: caption}), panelNames[key]);
    button.addEventListener('click', () => enlarge(source, caption));
    panels.append(button);
  }
  const path = `images.${index}.`;
  return element('div', {class: 'image'}, element('p', {}, element('b', {}, name), ': F1 ', number(path + 'f1'),
                 ', IoU ', number(path + 'iou'), ', precision ', number(path + 'precision'), ', recall ',
                 number(path + 'recall')), panels);
}

function showAll() {
  const table = document.querySelector('#all table');
  if (table.rows.length) return;
  const names = Object.keys(ratioNames);
  table.append(row('th', ['Image', ...names.map((name) => ratioNames[name])]));
  report.images.forEach((image, i) =>
      table.append(row('td', [image.name, ...names.map((name) => number(`images.${i}.${name}`))])));
}

function showGallery() {
  document.getElementById('gallery').hidden = false;
  for (const kind of ['worst', 'best'])
    document.getElementById(kind).append(...report.gallery[kind].map(imageCard));
  document.querySelector('#best').previousElementSibling.hidden = !report.gallery.best.length;
  const all = document.getElementById('all');
  all.querySelector('summary').append(`Scores of all ${report.images.length} images`);
  all.addEventListener('toggle', showAll);
  const dialog = document.getElementById('enlarged');
  dialog.addEventListener('click', () => dialog.close());
}

showSummary();
showScores();
if (report.curves) showCurves();
if (report.boundary) showDecision();
if (report.images.length) showGallery();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
// The print style's colours hold for plots too.
matchMedia('print').addEventListener('change', recolour);
