// ---- Images

const pictures = JSON.parse(document.getElementById('pictures').textContent);

const panelNames = {
  photograph: 'photograph',
  truth: 'truth',
  probability: `P(${positive})`,
  predicted: 'mask',
  errors: 'errors',
  thumbnail: 'small picture'
};

function enlarge(source, caption, small) {
  const dialog = document.getElementById('enlarged');
  dialog.querySelector('img').src = source;
  dialog.querySelector('img').alt = caption;
  dialog.querySelector('img').classList.toggle('small', small);
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
  if (adaptation.by === 'image')
    return ['. No face: its own threshold, at log-odds of ', number(path + 'shift', 1)];
  if (adaptation.by === 'nothing') return ['. No face: the model as it is'];
  if (!adaptation.faces) return ['. Fitted to the seed'];
  return ['. Faces fitted to: ', number(path + 'faces', 0)];
}

function imageCard(index) {
  const name = report.images[index].name, panels = element('div', {class: 'panels'});
  for (const [key, source] of Object.entries(pictures[name] ?? {}))
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

const sorting = {
  key: null,
  rising: true
};

const sortKey = (index) =>
    (sorting.key === 'name' ? report.images[index].name :
                              report.images[index][sorting.key] ?? Infinity);

function imageRow(index, names) {
  const name = report.images[index].name,
        own = pictures[name] ?? {};
  const key = ['photograph', 'predicted', 'thumbnail'].find((key) => own[key]);
  const cell = element('td', {}, ...(key ? [pictureButton(name, key, own[key]), ' '] : []), name);
  return row('td', [cell, ...names.map((key) => number(`images.${index}.${key}`))]);
}

// The rows that the filter leaves, in the order that the heads ask for.
function fillAll() {
  const wanted = document.getElementById('filter').value.toLowerCase(),
        names = Object.keys(ratioNames);
  const kept = report.images.map((_, i) => i)
                   .filter((i) => report.images[i].name.toLowerCase().includes(wanted));
  if (sorting.key !== null)
    kept.sort((a, b) => {
      const [x, y] = [sortKey(a), sortKey(b)];
      return (x < y ? -1 : x > y ? 1 : a - b) * (sorting.rising ? 1 : -1);
    });
  document.querySelector('#all tbody').replaceChildren(...kept.map((i) => imageRow(i, names)));
  document.getElementById('filtered').textContent =
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
  table.append(
      element(
          'thead', {},
          row('th',
              [
                sortingHead('name', 'Image'),
                ...Object.entries(ratioNames).map(([key, title]) => sortingHead(key, title))
              ])),
      element('tbody'));
  fillAll();
}

function showGallery() {
  document.getElementById('gallery').hidden = false;
  if (report.finder)
    document.getElementById('gallery-note')
        .append(
            ' Faces were found in ', number('images_with_faces', 0),
            ` images (finder: ${report.finder}).`);
  for (const kind of ['worst', 'best'])
    document.getElementById(kind).append(...report.gallery[kind].map(imageCard));
  document.querySelector('#best').previousElementSibling.hidden = !report.gallery.best.length;
  const all = document.getElementById('all');
  all.querySelector('summary').append(`Scores of all ${report.images.length} images`);
  all.addEventListener('toggle', showAll);
  document.getElementById('filter').addEventListener('input', fillAll);
  const dialog = document.getElementById('enlarged');
  dialog.addEventListener('click', () => dialog.close());
}
