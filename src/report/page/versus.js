// ---- Two models side by side

function differenceCell(pooling, name) {
  const cell = element('td', {}, number(`versus.difference.${pooling}.${name}`));
  const path = `versus.intervals.${pooling}.${name}`, interval = valueAt(path);
  if (interval) {
    cell.append(
        element('span', {class: 'interval'}, number(path + '.0'), ' – ', number(path + '.1')));
    if (interval[0] > 0 || interval[1] < 0) cell.className = 'sure';
  }
  return cell;
}

// The models' files, without their folders where that tells them apart.
function modelNames() {
  const paths = report.options.model, names = paths.map((path) => path.split('/').pop());
  return names[0] === names[1] ? paths : names;
}

function showVersus() {
  document.getElementById('versus').hidden = false;
  const [first, second] = modelNames(), many = report.images.length > 0;
  const poolings = many ? ['pooled', 'mean_per_image'] : ['pooled'];
  const heads = (pooling) => [first, second, 'difference'].map(
      (head) => head + (pooling === 'pooled' ? '' : ', mean per image'));
  const table = document.getElementById('differences');
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
  document.getElementById('versus-note')
      .append(
          model,
          'Differences are the first less the second. ' +
              (many ?
                   'Below them: 95 % intervals by the same resamples of images for both; those without 0 are in bold. ' :
                   '') +
              'All else on this page is of the first.');
}
