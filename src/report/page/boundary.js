// ---- The decision boundary

const classColours = ['positive', 'negative', 'third', 'faint'];

// The ellipse of so many standard deviations, projected on features a and b.
function ellipse(entry, a, b, deviations) {
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

function planeDatasets(plane) {
  const decision = report.boundary, datasets = [];
  const boundary = plane.boundary.flatMap(([x1, y1, x2, y2]) => [{x: x1, y: y1}, {x: x2, y: y2}, {x: NaN, y: NaN}]);
  datasets.push(line('boundary', boundary, 'mark', {spanGaps: false, order: -2}));
  decision.classes.forEach((entry, k) => {
    const name = classColours[k % classColours.length];
    entry.gaussians.forEach((gaussian, i) => {
      const ring = (deviations) => ellipse(gaussian, plane.x, plane.y, deviations);
      datasets.push(line(i === 0 ? entry.name : '', ring(1), name, {order: -1, drawn: true}));
      datasets.push(line('', ring(2), name, {borderWidth: 1, order: -1, drawn: true}));
    });
  });
  for (const [key, label, name] of [['positive', positive, 'positive'], ['negative', negative, 'negative']])
    datasets.push({type: 'scatter', label: label + ' pixels',
                   data: decision.samples[key].map((f) => ({x: f[plane.x], y: f[plane.y]})),
                   backgroundColor: colour(name) + '70', borderWidth: 0, pointRadius: 2});
  return datasets;
}

function planePlot(plane, canvas) {
  const channels = report.boundary.channels;
  const [x, y] = [channels[plane.x], channels[plane.y]];
  const label = (context) => `${context.dataset.label}: ${x.name} ${shown(context.raw.x, 1)}, ` +
      `${y.name} ${shown(context.raw.y, 1)}`;
  plot(canvas, () => {
    const shape = options(x.name, y.name, label);
    shape.scales = {x: axis(x.name, x.low, x.high), y: axis(y.name, y.low, y.high)};
    shape.plugins.tooltip.filter = (item) => !item.dataset.drawn;  // ellipses are no numbers of the JSON
    shape.plugins.legend.labels.filter = (item) => item.text !== '' && !item.text.endsWith(' pixels');
    return {data: {datasets: planeDatasets(plane)}, options: shape};
  });
}

// A model of one channel: P(positive) along it.
function channelPlot(plane, canvas) {
  const channel = report.boundary.channels[plane.x], last = plane.probability.length - 1;
  const at = (i) => channel.low + (channel.high - channel.low) * i / last;
  plot(canvas, () => {
    const shape = options(channel.name, `P(${positive})`,
                          (context) => `${channel.name} ${shown(context.raw.x, 1)}: P ${shown(context.raw.y, 4)}`);
    shape.scales.x = axis(channel.name, channel.low, channel.high);
    return {data: {datasets: [
      line(`P(${positive})`, points(plane.probability.map((_, i) => at(i)), plane.probability), 'positive'),
      line('threshold', [{x: channel.low, y: report.model.threshold}, {x: channel.high, y: report.model.threshold}],
           'faint', {borderWidth: 1, borderDash: [4, 4]}),
    ]}, options: shape};
  });
}

function showDecision() {
  const planes = report.boundary.planes;
  document.getElementById('decision').hidden = false;
  document.getElementById('decision-note').append(planes[0].y === null ? `P(${positive}) along the only channel.` :
      `The line is where P(${positive}) is the threshold` +
      (planes[0].held ? ', cut through the colours where the third channel has the value above the plot' : '') +
      '. Ellipses are of one and two standard deviations of each Gaussian; they and the points, some of the pixels, ' +
      'are projected.' + (report.finder === undefined ? '' :
          ' This is the trained model, the global one: images that are adapted to have boundaries of their own.'));
  planes.forEach((plane, i) => {
    const names = [plane.x, plane.y].filter((f) => f !== null).map((f) => report.boundary.channels[f].name);
    const caption = element('figcaption', {}, names.join(' and '));
    if (plane.held)
      caption.append(`, slice at ${plane.held.channel} = `, number(`boundary.planes.${i}.held.value`, 1));
    const canvas = element('canvas', {role: 'img', 'aria-label': 'Decision boundary, ' + names.join(' and '),
                                      id: 'plane-' + i});
    document.getElementById('planes').append(element('figure', {}, caption, element('div', {class: 'plot'}, canvas)));
    (plane.y === null ? channelPlot : planePlot)(plane, canvas);
  });
}

