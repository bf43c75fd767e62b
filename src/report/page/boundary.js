// ---- The classes' regions

// A class's colour; the palette's black is the colour of writing, which shows on dark paper too.
const classColour = (k) => {
  const own = report.boundary.classes[k].colour;
  return own === '#000000' ? colour('mark') : own;
};

// The ellipse that holds 95 % of a Gaussian, projected on features a and b.
function ellipse(entry, a, b) {
  const deviations = Math.sqrt(-2 * Math.log(0.05));  // of chi squared with two degrees of freedom
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

// The likeliest class of each point of the grid as a tint, the highest row first.
function tintsOf(plane) {
  const canvas = element('canvas', {width: plane.size, height: plane.regions.length});
  const pen = canvas.getContext('2d');
  pen.globalAlpha = 0.25;
  plane.regions.forEach((runs, row) => {
    let from = 0;
    for (const run of runs.split(' ')) {
      const [count, k] = run.split(':');
      if (k !== '-') {
        pen.fillStyle = classColour(Number(k));
        pen.fillRect(from, canvas.height - 1 - row, Number(count), 1);
      }
      from += Number(count);
    }
  });
  return canvas;
}

// Draws the tints behind the datasets, the grid's points from edge to edge.
function tinting(plane) {
  const tints = tintsOf(plane), rows = tints.height;
  return {
    id: 'tints',
    beforeDatasetsDraw: (chart) => drawWithin(chart, (pen, area) => {
      const wide = area.width / (tints.width - 1),
            high = rows > 1 ? area.height / (rows - 1) : area.height;
      pen.drawImage(
          tints, area.left - wide / 2, area.top - (rows > 1 ? high / 2 : 0), wide * tints.width,
          high * rows);
    }),
  };
}

const broken = (segments) =>
    segments.flatMap(([x1, y1, x2, y2]) => [{x: x1, y: y1}, {x: x2, y: y2}, {x: NaN, y: NaN}]);

// Where the regions end, and the threshold's line; `top` is the y that 1 stands for in a plane of
// one channel.
function borderDatasets(plane, top = 1) {
  const lines = (segments) => broken(segments.map(
      ([x1, y1, x2, y2]) => (plane.y === null ? [x1, y1 * top, x2, y2 * top] : [x1, y1, x2, y2])));
  const borders = plane.borders.flatMap((border) => border.segments);
  return [
    line('threshold', lines(plane.boundary), 'mark', {spanGaps: false, order: -2, borderWidth: 3}),
    line(
        'two classes as likely', lines(borders), 'faint',
        {spanGaps: false, order: -2, borderWidth: 1, borderDash: [4, 3], drawn: true}),
  ];
}

// The legend's entry for each class's tint.
const classDatasets = () => report.boundary.classes.map((entry, k) => ({
  type: 'scatter', label: entry.name, data: [], backgroundColor: classColour(k) + '40',
  borderColor: classColour(k), pointStyle: 'rect', drawn: true}));

function planeDatasets(plane) {
  const decision = report.boundary, datasets = borderDatasets(plane).concat(classDatasets());
  decision.classes.forEach((entry, k) => {
    for (const gaussian of entry.gaussians)
      datasets.push(line('', ellipse(gaussian, plane.x, plane.y), 'mark',
                         {borderColor: classColour(k), borderWidth: 1, order: -1, drawn: true}));
  });
  const tint = {
    positive: classColour(0),
    negative: decision.classes.length === 2 ? classColour(1) : colour('faint')
  };
  for (const [key, label] of [['positive', positive], ['negative', negative]])
    datasets.push({
      type: 'scatter',
      label: label + ' pixels',
      data: decision.samples[key].map((f) => ({x: f[plane.x], y: f[plane.y]})),
      backgroundColor: tint[key] + '90',
      borderWidth: 0,
      pointStyle: 'circle',
      pointRadius: 2
    });
  return datasets;
}

const channelTitle = (channel) => `${channel.name} (${channel.unit})`;
const channelAxis = (channel) => axis(channelTitle(channel), channel.low, channel.high);

function planePlot(plane, canvas) {
  const channels = report.boundary.channels;
  const [x, y] = [channels[plane.x], channels[plane.y]];
  const label = (context) => `${context.dataset.label}: ${x.name} ${shown(context.raw.x, 1)}, ` +
      `${y.name} ${shown(context.raw.y, 1)}`;
  plot(canvas, () => {
    const shape = options(channelTitle(x), channelTitle(y), label);
    shape.scales = {x: channelAxis(x), y: channelAxis(y)};
    // Ellipses are no numbers of the JSON.
    shape.plugins.tooltip.filter = (item) => !item.dataset.drawn;
    // Pixels have the colour of their class, but with three classes or more all others are grey.
    const grey = report.boundary.classes.length > 2;
    shape.plugins.legend.labels.filter = (item) =>
        item.text !== '' && (grey || !item.text.endsWith(' pixels'));
    return {data: {datasets: planeDatasets(plane)}, options: shape, plugins: [tinting(plane)]};
  });
}

// A model of one channel: each class's density times its prior, or P where there are no densities.
function channelPlot(plane, canvas) {
  const channel = report.boundary.channels[plane.x], last = plane.size - 1;
  const xs = plane.probability.map((_, i) => channel.low + (channel.high - channel.low) * i / last);
  const title = plane.densities ? 'Prior × density' : `P(${positive})`;
  const curves = plane.densities ?? [plane.probability];
  const top = plane.densities ? 1.05 * Math.max(...curves.flat()) : 1;
  plot(canvas, () => {
    const shape = options(
        channelTitle(channel), title,
        (context) => `${context.dataset.label}: ${channel.name} ${shown(context.raw.x, 1)}, ${
            shown(context.raw.y, 5)}`);
    shape.scales = {x: channelAxis(channel), y: axis(title, 0, top)};
    const lines = curves.map((ys, k) => line(
        report.boundary.classes[k].name, points(xs, ys), 'mark', {borderColor: classColour(k)}));
    return {data: {datasets: [...lines, ...borderDatasets(plane, top)]}, options: shape,
            plugins: [tinting(plane)]};
  });
}

// The threshold's line as numbers: where its pieces begin.
function tellBoundary(i, canvas) {
  const plane = report.boundary.planes[i], keys = plane.y === null ? [0] : [0, 1];
  const names = keys.map((key) => channelTitle(report.boundary.channels[[plane.x, plane.y][key]]));
  tellNumbers(
      canvas, names.map((name) => 'threshold: ' + name), plane.boundary.length,
      (j) => keys.map((key) => number(`boundary.planes.${i}.boundary.${j}.${key}`, 2)));
}

function showDecision() {
  const planes = report.boundary.planes;
  byId('decision').hidden = false;
  byId('decision-note').append(
      'Tinted is the region of each class, where its P is the greatest, and the line is where ' +
      `P(${positive}) is the threshold` +
      (planes[0].held ?
           `, cut through the colours where the third channel has the value above the plot (the mean of ${positive}, of models with means). ` :
           '. ') +
      (planes[0].y === null ?
           'The curves are each class\'s density along the only channel, times its prior (of models without densities, P).' :
           'Ellipses hold 95 % of each Gaussian; they and the points, some of the pixels, are projected. Where nothing is tinted no colour lies.') +
      (report.finder === undefined ?
           '' :
           ' This is the trained model, the global one: images that are adapted to have boundaries of their own.'));
  planes.forEach((plane, i) => {
    const names =
        [plane.x, plane.y].filter((f) => f !== null).map((f) => report.boundary.channels[f].name);
    const caption = element('figcaption', {}, names.join(' and '));
    if (plane.held)
      caption.append(
          `, where ${plane.held.channel} = `, number(`boundary.planes.${i}.held.value`, 1));
    const canvas = element('canvas', {role: 'img', id: 'plane-' + i,
                                      'aria-label': 'Regions of the classes, ' + names.join(' and ')});
    byId('planes').append(element('figure', {}, caption, element('div', {class: 'plot'}, canvas)));
    (plane.y === null ? channelPlot : planePlot)(plane, canvas);
    tellBoundary(i, canvas);
  });
}
