// ---- Scores

const positive = report.positive;
const negative = 'not ' + positive;

const ratioNames = {
  accuracy: 'Accuracy', precision: 'Precision', recall: 'Recall', specificity: 'Specificity', f1: 'F1',
  iou: 'IoU', auc: 'AUC', average_precision: 'Average precision', brier: 'Brier score',
};

function ratioCell(pooling, name) {
  return cellWithInterval(`${pooling}.${name}`, `intervals.${pooling}.${name}`);
}

function cellWithInterval(value, path) {
  const cell = element('td', {}, number(value));
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
  byId('confusion').replaceChildren(
      row('th', ['Pixels', 'truly ' + positive, negative]),
      row('td', ['called ' + positive, cell('tp', 'right', tp + fn), cell('fp', 'wrong', fp + tn)]),
      row('td', ['called ' + negative, cell('fn', 'wrong', tp + fn), cell('tn', 'right', fp + tn)]));
}

function showScores() {
  const many = report.images.length > 0;
  const table = byId('ratios');
  table.append(row('th', many ? ['', 'pooled', 'mean per image'] : ['', 'pooled']));
  for (const [name, title] of Object.entries(ratioNames)) {
    if (valueAt('pooled.' + name) === null && valueAt('mean_per_image.' + name) === null) continue;
    const cells = [element('td', {}, term(name, title)), ratioCell('pooled', name)];
    if (many) cells.push(ratioCell('mean_per_image', name));
    table.append(row('td', cells));
  }
  for (const [name, title] of report.reliability ? [['ece', 'ECE'], ['ece_middle', 'ECE, P from .2 to .8']] : [])
    if (valueAt('reliability.' + name) !== null)
      table.append(row('td', [element('td', {}, term(name, title)), cellWithInterval('reliability.' + name, 'intervals.pooled.' + name)].concat(many ? [''] : [])));
  fillConfusion(null);
  if (report.classes) showClasses();
  if (report.images.length > 1)
    byId('interval-note').append(
        'Below the scores: 95 % intervals over images (the jackknife). ' +
        'Means are over the images where a ratio is defined.');
}

// More than two classes: how many pixels of each were called each.
function showClasses() {
  const names = report.classes.classes;
  const table = byId('classes');
  table.hidden = false;
  table.append(row('th', ['Pixels'].concat(names.map((name) => 'called ' + name), ['accuracy'])));
  names.forEach((name, k) => table.append(row('td', ['truly ' + name].concat(
      names.map((_, called) => number(`classes.counts.${k}.${called}`, 0)),
      [number(`classes.recall.${k}`)]))));
  table.append(row('td', ['all'].concat(names.map(() => ''), [number('classes.accuracy')])));
  if (report.classes.costs)
    table.after(element('p', {class: 'note'}, 'Each pixel is called the class of the least expected cost, by the costs of the model; the mean cost is ',
                        number('classes.mean_cost'), '.'));
}

// ---- Images

const pictures = JSON.parse(byId('pictures').textContent);

const panelNames = {
  photograph: 'photograph',
  truth: 'truth',
  probability: `P(${positive})`,
  predicted: 'mask',
  errors: 'errors',
  thumbnail: 'small picture'
};

function enlarge(source, caption, small) {
  const dialog = byId('enlarged'), picture = dialog.querySelector('img');
  picture.src = source;
  picture.alt = caption;
  picture.classList.toggle('small', small);
  dialog.querySelector('p').textContent = caption;
  dialog.showModal();
}

function pictureButton(name, key, source, ...more) {
  const caption = `${name}: ${panelNames[key]}`;
  const button = element(
      'button', {type: 'button', class: 'picture', title: 'Enlarge'},
      element('img', {src: source, alt: caption, decoding: 'async'}), ...more);
  button.addEventListener('click', () => enlarge(source, caption, key === 'thumbnail'));
  return button;
}

// What was done to an image before it was judged; nothing where nothing adapts.
function adaptationOf(index) {
  const adaptation = report.images[index].adaptation, path = `images.${index}.adaptation.`;
  if (!adaptation) return [];
  const more = [];
  if (adaptation.monochrome) more.push(', taken as grey, since it has one hue');
  if (adaptation.stops) more.push(', taken ', number(path + 'stops', 1), ' stops lighter');
  if (adaptation.cool) more.push(', taken in cool light');
  if (adaptation.unclear) more.push(', no colours stand apart (no skin at the model’s threshold)');
  if (adaptation.any_skin && adaptation.by !== 'seeds')
    more.push(', P(any skin) ', number(path + 'any_skin', 2));
  if (adaptation.by === 'image')
    return ['. No face: its own threshold, at log-odds of ', number(path + 'shift', 1), ...more];
  if (adaptation.by === 'nobody') return ['. No face: no skin'];
  if (adaptation.by === 'nothing') return ['. No face: the model as it is', ...more];
  if (!adaptation.faces) return ['. Fitted to the seed', ...more];
  return ['. Faces fitted to: ', number(path + 'faces', 0), ...more];
}

function imageCard(index) {
  const name = report.images[index].name, panels = element('div', {class: 'panels'});
  for (const [key, source] of Object.entries(pictures[index] ?? {}))
    panels.append(pictureButton(name, key, source, panelNames[key]));
  const path = `images.${index}.`;
  return element(
      'div', {class: 'image'},
      element(
          'p', {}, element('b', {}, name), ': F1 ', number(path + 'f1'), ', IoU ',
          number(path + 'iou'), ', precision ', number(path + 'precision'), ', recall ',
          number(path + 'recall'), ...adaptationOf(index)),
      panels);
}

// ---- The table of all images

const sorting = {key: null, rising: true};

const sortKey = (index) =>
    (sorting.key === 'name' ? report.images[index].name :
                              report.images[index][sorting.key] ?? Infinity);

function imageRow(index, names) {
  const name = report.images[index].name,
        own = pictures[index] ?? {};
  const key = ['photograph', 'predicted', 'thumbnail'].find((key) => own[key]);
  const cell = element('td', {}, ...(key ? [pictureButton(name, key, own[key]), ' '] : []), name);
  return row('td', [cell, ...names.map((key) => number(`images.${index}.${key}`))]);
}

// The rows that the filter leaves, in the order that the heads ask for.
function fillAll() {
  const wanted = byId('filter').value.toLowerCase(),
        names = Object.keys(ratioNames);
  const kept = report.images.map((_, i) => i)
                   .filter((i) => report.images[i].name.toLowerCase().includes(wanted));
  if (sorting.key !== null)
    kept.sort((a, b) => {
      const [x, y] = [sortKey(a), sortKey(b)];
      return (x < y ? -1 : x > y ? 1 : a - b) * (sorting.rising ? 1 : -1);
    });
  document.querySelector('#all tbody').replaceChildren(...kept.map((i) => imageRow(i, names)));
  byId('filtered').textContent =
      `${shown(kept.length, 0)} of ${shown(report.images.length, 0)} images`;
}

function sortingHead(key, title) {
  const button = element('button', {type: 'button', class: 'sort'}, title),
        head = element('th', {scope: 'col'}, button);
  button.addEventListener('click', () => {
    sorting.rising = sorting.key === key ? !sorting.rising : true;
    sorting.key = key;
    for (const other of head.parentElement.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', sorting.rising ? 'ascending' : 'descending');
    fillAll();
  });
  return head;
}

function showAll() {
  const table = document.querySelector('#all table');
  if (table.rows.length) return;
  const heads = Object.entries({name: 'Image', ...ratioNames});
  table.append(element('thead', {}, row('th', heads.map(([key, title]) => sortingHead(key, title)))),
               element('tbody'));
  fillAll();
}

function showGallery() {
  byId('gallery').hidden = false;
  if (report.finder && report.finder !== 'seed')
    byId('gallery-note').append(' Faces were found in ', number('images_with_faces', 0),
                                ` images (finder: ${report.finder}).`);
  for (const kind of ['worst', 'best'])
    byId(kind).append(...report.gallery[kind].map(imageCard));
  document.querySelector('#best').previousElementSibling.hidden = !report.gallery.best.length;
  const all = byId('all');
  all.querySelector('summary').append(`Scores of all ${report.images.length} images`);
  all.addEventListener('toggle', showAll);
  byId('filter').addEventListener('input', fillAll);
  const dialog = byId('enlarged');
  dialog.addEventListener('click', () => dialog.close());
}
