// ---- Images

const pictures = JSON.parse(document.getElementById('pictures').textContent);

const panelNames = {photograph: 'photograph', truth: 'truth', probability: `P(${positive})`,
                    predicted: 'mask', errors: 'errors'};

function enlarge(source, caption) {
  const dialog = document.getElementById('enlarged');
  dialog.querySelector('img').src = source;
  dialog.querySelector('img').alt = caption;
  dialog.querySelector('p').textContent = caption;
  dialog.showModal();
}

// What was done to an image before it was judged; nothing where nothing adapts.
function adaptationOf(index) {
  const adaptation = report.images[index].adaptation, path = `images.${index}.adaptation.`;
  if (!adaptation) return [];
  if (adaptation.by === 'image') return ['. No face: its own threshold, at log-odds of ', number(path + 'shift', 1)];
  if (adaptation.by === 'nothing') return ['. No face: the model as it is'];
  if (!adaptation.faces) return ['. Fitted to the seed'];
  return ['. Faces fitted to: ', number(path + 'faces', 0)];
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
                 number(path + 'recall'), ...adaptationOf(index)), panels);
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
  if (report.finder)
    document.getElementById('gallery-note').append(
        ' Faces were found in ', number('images_with_faces', 0), ` images (finder: ${report.finder}).`);
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
