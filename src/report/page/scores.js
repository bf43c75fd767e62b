// ---- Scores

const positive = report.positive;
const negative = 'not ' + positive;

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

