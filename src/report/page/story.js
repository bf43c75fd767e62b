// ---- The first screen

// A word of a command line as a shell takes it.
const quoted = (word) =>
    (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`);

function commandLine() {
  const words = Object.entries(report.options)
                    .flatMap(([name, value]) => (value === true ? ['--' + name] :
                             [value].flat().flatMap((one) => ['--' + name, quoted(String(one))])));
  return ['skinmask evaluate', ...words].join(' ');
}

// Adds an entry to a list of terms.
const tell = (list, name, ...content) =>
    list.append(element('div', {}, element('dt', {}, name), element('dd', {}, ...content)));

function tellRun(list) {
  const options = report.options ?? {}, add = (...entry) => tell(list, ...entry);
  for (const [key, name] of [
           ['images', 'Images'], ['predicted', 'Predicted masks'], ['truth', 'True masks'],
           ['samples', 'Table']])
    if (options[key]) add(name, [options[key]].flat().join(', '));
  const images = report.images.length;
  add('Judged', images ? `${shown(images, 0)} image${images === 1 ? '' : 's'}, ` : '',
      number('pixels', 0), ' pixels');
  if (report.model) {
    add('Model', number('model.kind'), ' in ', number('model.space'),
        ` (${report.model.channels.join(', ')})`);
    add('Threshold', number('model.threshold', 4), ` (${thresholdOrigin()})`);
    add('Adaptation',
        report.finder === undefined ? 'off' :
        report.finder === 'seed'    ? 'to the seed of each image' :
                                      `to each image, faces by ${report.finder}`);
  }
  if (report.options) add('Command', element('code', {}, commandLine()));
  if (report.version) add('Version', 'skinmask ', number('version'));
  if (report.date) add('Date', number('date'));
}

// The model's card, and digests.
function tellCard(list) {
  const {notes} = report.model.card;
  for (const [name, text] of Object.entries(notes)) tell(list, name.replaceAll('_', ' '), text);
  tell(
      list, 'SHA-256', 'of the model ', element('code', {}, number('model.digest')),
      ', of what it was trained on ', element('code', {}, number('model.card.sha256')));
}

function saveJson() {
  const text = byId('evaluation').textContent;
  const link = element('a', {href: URL.createObjectURL(new Blob([text], {type: 'application/json'})),
                             download: 'evaluation.json'});
  link.click();
  URL.revokeObjectURL(link.href);
}

function showProvenance() {
  tellRun(byId('run'));
  byId('card').hidden = !report.model;
  if (report.model) tellCard(document.querySelector('#card dl'));
  byId('save').addEventListener('click', saveJson);
}

// A small card of an image: the photograph (or the mask) and the errors.
function thumbnail(index) {
  const name = report.images[index].name, own = pictures[index] ?? {};
  const card = element('div', {class: 'thumbnail'});
  for (const key of ['photograph', 'errors'])
    if (own[key]) card.append(pictureButton(name, key, own[key]));
  card.append(element(
      'p', {}, 'F1 ', number(`images.${index}.f1`, 3), element('br'),
      element('span', {class: 'name'}, name)));
  return card;
}

function showExtremes() {
  const kEach = 3;
  for (const kind of ['best', 'worst']) {
    const chosen = report.gallery[kind].slice(0, kEach);
    if (!chosen.length) continue;
    byId('extremes').append(element(
        'div', {},
        element('h2', {class: 'small'}, `${chosen.length === 1 ? 'The' : chosen.length} ${kind}`),
        element('div', {class: 'thumbnails'}, ...chosen.map(thumbnail))));
  }
}

// One sentence, of the bin that has 0.9, or of the fullest of the upper half.
function showCalibration() {
  const bins =
      report.reliability.bins.map((bin, i) => ({...bin, i})).filter((bin) => bin.count > 0);
  const told = bins.find((bin) => bin.low <= 0.9 && 0.9 < bin.high) ??
      bins.filter((bin) => bin.low >= 0.5).sort((a, b) => b.count - a.count)[0];
  if (!told) return;
  const path = `reliability.bins.${told.i}.`;
  byId('calibration').append(
      `Of the pixels that get P(${positive}) near `, number(path + 'mean_probability', 2), ', ',
      element('b', {}, percent(path + 'positive_share')),
      ` are ${positive}. Over the bins of P, its mean in a bin is off from the share by `,
      number('reliability.ece', 3), ' on average (ECE)',
      valueAt('reliability.ece_middle') === null ? '.' : element('span', {}, ', where P is from 0.2 to 0.8 by ', number('reliability.ece_middle', 3), '.'));
}

function showStory() {
  const title = report.title ?? 'Evaluation';
  byId('title').textContent = title;
  document.title = title + ' – skinmask';
  showProvenance();
  const hero = byId('hero');
  hero.append(
      element('p', {class: 'label'}, term('f1', 'F1'), report.images.length ? ' over all pixels' : ''),
      element('p', {class: 'large'}, number('pooled.f1', 3)));
  if (valueAt('intervals.pooled.f1'))
    hero.append(element(
        'p', {class: 'interval'}, '95 % interval ', number('intervals.pooled.f1.0', 3), ' – ',
        number('intervals.pooled.f1.1', 3)));
  hero.append(
      element('p', {}, term('precision', 'Precision'), ' ', number('pooled.precision', 3)),
      element('p', {}, term('recall', 'Recall'), ' ', number('pooled.recall', 3)));
  if (report.reliability) showCalibration();
}
// ---- F1 of each image

function showDistribution() {
  const kBins = 20, scores = report.images.map((image) => image.f1).filter((f1) => f1 !== null);
  if (scores.length < 2) return;
  byId('distribution-figure').hidden = false;
  const counts = new Array(kBins).fill(0);
  for (const f1 of scores) ++counts[Math.min(kBins - 1, Math.floor(f1 * kBins))];
  const canvas = byId('distribution'),
        ends = (i) => `${shown(i / kBins, 2)} to ${shown((i + 1) / kBins, 2)}`;
  plot(canvas, () => {
    const shape = options(
        'F1 of the image', 'Images',
        (context) => `F1 ${ends(context.dataIndex)}: ${shown(context.raw.y, 0)} images`, 'x');
    shape.scales = {
      x: barAxis('F1 of the image'),
      y: {
        ...axis('Images'),
        max: undefined,
        ticks: {precision: 0, maxTicksLimit: 8, includeBounds: false}
      }
    };
    shape.plugins.legend.display = false;
    const places = counts.map((y, i) => ({x: (i + 0.5) / kBins, y}));
    return {type: 'bar', data: {datasets: [bars('images', places, 'negative')]}, options: shape};
  });
  tellNumbers(canvas, ['F1', 'images'], kBins, (i) => [ends(i), shown(counts[i], 0)]);
}
// ---- Two models side by side

function differenceCell(pooling, name) {
  const path = `versus.intervals.${pooling}.${name}`, interval = valueAt(path);
  const cell = cellWithInterval(`versus.difference.${pooling}.${name}`, path);
  if (interval && (interval[0] > 0 || interval[1] < 0)) cell.className = 'sure';
  return cell;
}

// The models' files, without their folders where that tells them apart.
function modelNames() {
  const paths = report.options.model, names = paths.map((path) => path.split('/').pop());
  return names[0] === names[1] ? paths : names;
}

function showVersus() {
  byId('versus').hidden = false;
  const [first, second] = modelNames(), many = report.images.length > 0;
  const poolings = many ? ['pooled', 'mean_per_image'] : ['pooled'];
  const heads = (pooling) => [first, second, 'difference'].map(
      (head) => head + (pooling === 'pooled' ? '' : ', mean per image'));
  const table = byId('differences');
  table.append(row('th', ['', ...poolings.flatMap(heads)]));
  for (const [name, title] of Object.entries(ratioNames)) {
    if (valueAt('pooled.' + name) === null) continue;
    const cells = (pooling) =>
        [number(`${pooling}.${name}`), number(`versus.${pooling}.${name}`),
         differenceCell(pooling, name)];
    table.append(row('td', [element('td', {}, term(name, title)), ...poolings.flatMap(cells)]));
  }
  const model = element(
      'span', {}, second, ' is ', number('versus.model.kind'), ' in ', number('versus.model.space'),
      `, at P(${positive}) > `, number('versus.model.threshold', 4), '. ');
  byId('versus-note').append(
      model,
      'Differences are the first less the second. ' +
          (many ?
               'Below them: 95 % intervals over images, each left out of both models; those without 0 are in bold. ' :
               '') +
          'All else on this page is of the first.');
}
