// ---- The first screen

function showHeading() {
  const title = report.title ?? 'Evaluation';
  document.getElementById('title').textContent = title;
  document.title = title + ' – skinmask';
}

// A word of a command line as a shell takes it.
const quoted = (word) =>
    (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`);

function commandLine() {
  const words = Object.entries(report.options ?? {})
                    .flatMap(([name, value]) => (value === true ? ['--' + name] : [
                               '--' + name, ...[value].flat().map((one) => quoted(String(one)))
                             ]));
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
  add('Judged',
      report.images.length ?
          `${shown(report.images.length, 0)} image${report.images.length === 1 ? '' : 's'}, ` :
          '',
      number('pixels', 0), ' pixels');
  if (report.model) {
    add('Model', number('model.kind'), ' in ', number('model.space'),
        ` (${report.model.channels.join(', ')})`);
    add('Threshold', number('model.threshold', 4), ' (', number('model.rule'), ')');
    add('Adaptation',
        report.finder === undefined ? 'off' : `to each image, faces by ${report.finder}`);
  }
  add('Command', element('code', {}, commandLine()));
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
  const text = document.getElementById('evaluation').textContent;
  const link = element('a', {
    href: URL.createObjectURL(new Blob([text], {type: 'application/json'})),
    download: 'evaluation.json'
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

function showProvenance() {
  tellRun(document.getElementById('run'));
  document.getElementById('card').hidden = !report.model;
  if (report.model) tellCard(document.querySelector('#card dl'));
  document.getElementById('save').addEventListener('click', saveJson);
}

// A small card of an image: the photograph (or the mask) and the errors.
function thumbnail(index) {
  const name = report.images[index].name, own = pictures[name] ?? {};
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
    document.getElementById('extremes')
        .append(element(
            'div', {},
            element(
                'h2', {class: 'small'}, `${chosen.length === 1 ? 'The' : chosen.length} ${kind}`),
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
  document.getElementById('calibration')
      .append(
          `Of the pixels that get P(${positive}) near `, number(path + 'mean_probability', 2), ', ',
          element('b', {}, percent(path + 'positive_share')),
          ` are ${positive}. On the mean, P is off by `, number('reliability.ece', 3), ' (ECE).');
}

function showStory() {
  showHeading();
  showProvenance();
  const hero = document.getElementById('hero');
  hero.append(
      element(
          'p', {class: 'label'}, term('f1', 'F1'), report.images.length ? ' over all pixels' : ''),
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
