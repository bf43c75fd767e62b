// ---- Groups: by the tone of true skin, and by what tables say of the images

const groupMeasures = {recall: 'Recall', precision: 'Precision', f1: 'F1'};
const measureColours = {recall: 'negative', precision: 'third', f1: 'positive'};

function groupTable(k) {
  const table = element('table'), grouping = report.groups[k];
  table.append(row('th', [grouping.by, 'images', 'pixels', ...Object.values(groupMeasures)]));
  grouping.groups.forEach((group, i) => {
    const path = `groups.${k}.groups.${i}`;
    table.append(row('td', [group.name, number(path + '.images', 0), number(path + '.pixels', 0),
                            ...Object.keys(groupMeasures).map(
                                (name) => cellWithInterval(`${path}.${name}`, `${path}.intervals.${name}`))]));
  });
  return table;
}

// A dot for each score and a line for its interval, in a row for each group; the measures lie a little apart.
function groupDatasets(grouping) {
  return Object.entries(groupMeasures).flatMap(([name, title], m) => {
    const y = (i) => i + (m - 1) * 0.22, dots = [], ends = [];
    grouping.groups.forEach((group, i) => {
      if (group[name] === null) return;
      dots.push({x: group[name], y: y(i), i});
      const interval = group.intervals[name];
      if (interval) ends.push({x: interval[0], y: y(i)}, {x: interval[1], y: y(i)}, {x: NaN, y: NaN});
    });
    return [line(title, dots, measureColours[name], {showLine: false, pointRadius: 4, measure: name}),
            line('', ends, measureColours[name], {spanGaps: false, pointHitRadius: 0})];
  });
}

function groupPlot(grouping, canvas) {
  const label = ({dataset, raw}) => {
    const group = grouping.groups[raw.i], interval = group.intervals[dataset.measure];
    return `${group.name}: ${dataset.label} ${shown(raw.x, 4)}` +
        (interval ? ` (${shown(interval[0], 4)} – ${shown(interval[1], 4)})` : '');
  };
  plot(canvas, () => {
    const shape = options('Score', grouping.by, label);
    shape.scales.y = {type: 'linear', min: -0.5, max: grouping.groups.length - 0.5, reverse: true,
                      afterBuildTicks: (scale) => { scale.ticks = grouping.groups.map((_, value) => ({value})); },
                      ticks: {autoSkip: false, callback: (value) => grouping.groups[value].name}};
    shape.plugins.legend.labels.filter = (item) => item.text !== '';
    shape.plugins.tooltip.filter = (item) => item.dataset.label !== '';
    return {data: {datasets: groupDatasets(grouping)}, options: shape};
  });
}

function showGrouping(grouping, k) {
  const canvas = element('canvas', {role: 'img', id: 'group-' + k,
                                    'aria-label': `Scores by ${grouping.by}; the table has the numbers`});
  const frame = element('div', {class: 'plot'}, canvas);
  frame.style.height = `${6 + 2.4 * grouping.groups.length}rem`;
  const gaps = Object.keys(groupMeasures).map((name) => element('li', {}, number(`groups.${k}.gaps.${name}.words`)));
  const part = element('div', {class: 'grouping'}, element('h3', {}, `${grouping.by} (${grouping.source})`),
                       element('div', {class: 'columns'}, scrolling('Scores by ' + grouping.by, groupTable(k)),
                               element('figure', {}, frame)));
  if (grouping.images_in_none)
    part.append(element('p', {class: 'note'}, `Images in no group (${grouping.why_none}): `,
                        number(`groups.${k}.images_in_none`, 0)));
  part.append(element('p', {class: 'note'}, 'The largest gaps, with intervals that hold for all pairs of groups at once:'),
              element('ul', {class: 'note'}, ...gaps));
  byId('groupings').append(part);
  groupPlot(grouping, canvas);
}

function showGroups() {
  byId('groups').hidden = false;
  const note = byId('groups-note');
  note.append('Scores of all pixels of the images of a group, with 95 % intervals over them (the jackknife). Groups of fewer than ',
              number('groups.0.least_images', 0), ' images have no interval and are not compared. ');
  if (report.images.some((image) => image.tone !== undefined))
    note.append('The tone of an image is that of the median colour of its true skin: the individual typology angle (ITA), ' +
                'and the nearest tone of the Monk scale, 1 the lightest. Light fools any angle from pixels: shade makes ' +
                'skin darker, lamps make it yellower, and an image of several people has one median. These are groups of ' +
                'pictures, not of people.');
  report.groups.forEach(showGrouping);
}
// ---- All of it, last of the scripts

showStory();
showScores();
if (report.images.length) showExtremes();
showDistribution();
if (report.versus) showVersus();
if (report.curves) {
  showCurves();
  showThreshold();
}
if (report.groups) showGroups();
if (report.boundary) showDecision();
if (report.images.length) showGallery();
