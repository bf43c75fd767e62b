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

// The confusion matrix, each count with its share of the column; of `counts`, or of the JSON's own where there are none.
function fillConfusion(counts) {
  const own = report.pooled, {tp, fn, fp, tn} = counts ?? own;
  const cell = (name, kind, whole) => element('td', {class: kind},
      counts ? shown(counts[name], 0) : number('pooled.' + name, 0),
      element('span', {class: 'share'}, shownPercent(whole ? (counts ?? own)[name] / whole : null)));
  document.getElementById('confusion').replaceChildren(
      row('th', ['Pixels', 'truly ' + positive, negative]),
      row('td', ['called ' + positive, cell('tp', 'right', tp + fn), cell('fp', 'wrong', fp + tn)]),
      row('td', ['called ' + negative, cell('fn', 'wrong', tp + fn), cell('tn', 'right', fp + tn)]));
}

function showScores() {
  const many = report.images.length > 0;
  const table = document.getElementById('ratios');
  table.append(row('th', many ? ['', 'pooled', 'mean per image'] : ['', 'pooled']));
  for (const [name, title] of Object.entries(ratioNames)) {
    if (valueAt('pooled.' + name) === null && valueAt('mean_per_image.' + name) === null) continue;
    const cells = [element('td', {}, term(name, title)), ratioCell('pooled', name)];
    if (many) cells.push(ratioCell('mean_per_image', name));
    table.append(row('td', cells));
  }
  if (report.reliability)
    table.append(row('td', [element('td', {}, term('ece', 'ECE')), number('reliability.ece')].concat(many ? [''] : [])));
  fillConfusion(null);
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

