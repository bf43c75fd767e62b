// ---- Curves

// What every curve tells of a point.
function curveLabel(context) {
  const i = context.raw.i;
  if (i === undefined) return context.dataset.label;
  const c = report.curves;
  const said = (name, title) => `${title} ${shown(c[name][i], 4)}`;
  return [
    (i === c.operating_point ? 'operating point: ' : '') + said('threshold', 'threshold'),
    said('log_odds', 'log-odds'), said('recall', 'recall'), said('precision', 'precision'),
    said('false_positive_rate', 'false-positive rate'), said('false_negative_rate', 'false-negative rate'),
    said('error_rate', 'error rate'), said('f1', 'F1')];
}

function curvePlot(id, x, y, xTitle, yTitle, baseline) {
  const c = report.curves, at = c.operating_point;
  plot(document.getElementById(id), () => ({data: {datasets: [
    line(yTitle + ' against ' + xTitle.toLowerCase(), points(c[x], c[y]), 'positive'),
    ...(c[x][at] === null || c[y][at] === null ? [] :
        [dot(`threshold ${shown(c.threshold[at], 4)}`, {x: c[x][at], y: c[y][at], i: at}, 'mark')]),
    ...(baseline ? [line('chance', baseline, 'faint', {borderDash: [4, 4], borderWidth: 1})] : []),
  ]}, options: options(xTitle, yTitle, curveLabel)}));
}

function errorPlot() {
  const c = report.curves, at = c.threshold[c.operating_point];
  plot(document.getElementById('errors'), () => ({data: {datasets: [
    line('all pixels', points(c.threshold, c.error_rate), 'mark'),
    line('false negatives', points(c.threshold, c.false_negative_rate), 'negative', {borderDash: [6, 3]}),
    line('false positives', points(c.threshold, c.false_positive_rate), 'positive', {borderDash: [2, 2]}),
    line(`threshold ${shown(at, 4)}`, [{x: at, y: 0}, {x: at, y: 1}], 'faint', {borderWidth: 1}),
  ]}, options: options(`Threshold on P(${positive})`, 'Rate', curveLabel,
                       {interaction: {mode: 'nearest', intersect: false, axis: 'x'}})}));
}

function reliabilityPlot() {
  const bins = report.reliability.bins.filter((bin) => bin.count > 0);
  const label = (context) => {
    const bin = bins[context.raw.i];
    return bin ? [`P in ${shown(bin.low, 3)} to ${shown(bin.high, 3)}`, `${shown(bin.count, 0)} pixels`,
                  `mean P ${shown(bin.mean_probability, 4)}`,
                  `share of ${positive} ${shown(bin.positive_share, 4)}`] : context.dataset.label;
  };
  plot(document.getElementById('reliability'), () => ({data: {datasets: [
    line('the model', bins.map((bin, i) => ({x: bin.mean_probability, y: bin.positive_share, i})), 'positive',
         {pointRadius: 4}),
    line('perfect calibration', [{x: 0, y: 0}, {x: 1, y: 1}], 'faint', {borderDash: [4, 4], borderWidth: 1}),
  ]}, options: options(`Mean P(${positive}) in the bin`, `Share of ${positive}`, label)}));
}

function logOddsPlot() {
  const h = report.log_odds;
  const bars = (shares, counts) =>
      shares.map((y, i) => ({x: h.low + (i + 0.5) * h.width, y, count: counts[i]}));
  const label = (context) => `${context.dataset.label}: ${shown(context.raw.count, 0)} pixels ` +
      `(share ${shown(context.raw.y, 4)})`;
  const threshold = report.operating_point.log_odds;
  const most = Math.max(0, ...h.positive_share, ...h.negative_share);
  const config = () => {
    const bar = (name, shares, counts, tint) => ({
      type: 'bar', label: name, data: bars(shares, counts), backgroundColor: colour(tint) + 'a0',
      barPercentage: 1, categoryPercentage: 1, grouped: false});
    const wide = options('Log-odds', 'Share of the class', label);
    wide.scales = {x: {...axis('Log-odds', h.low, h.low + h.width * h.positive.length), offset: false, grid: {offset: false}},
                   y: {...axis('Share of the class'), max: undefined}};
    wide.interaction = {mode: 'nearest', intersect: false, axis: 'x'};
    const datasets = [bar(positive, h.positive_share, h.positive, 'positive'),
                      bar(negative, h.negative_share, h.negative, 'negative')];
    if (threshold !== null)
      datasets.push({...line('threshold', [{x: threshold, y: 0, count: 0}, {x: threshold, y: most, count: 0}],
                             'mark', {borderWidth: 1.5}), pointHitRadius: 0});
    wide.plugins.tooltip.filter = (item) => item.dataset.type === 'bar';
    return {type: 'bar', data: {datasets}, options: wide};
  };
  plot(document.getElementById('log-odds'), config);
}

function showCurves() {
  document.getElementById('curves').hidden = false;
  const note = document.getElementById('curve-note');
  note.append('The diamond is the model\'s threshold: recall ', number('operating_point.recall'), ', precision ',
              number('operating_point.precision'), ', false-positive rate ',
              number('operating_point.false_positive_rate'), '. ');
  if (report.best_f1)
    note.append('The best F1 of these pixels, ', number('best_f1.f1'), ', is at a threshold of ',
                number('best_f1.threshold'), '. ');
  note.append('Drawn are at most some 500 points of ', number('curves.steps', 0), '; the areas are of all of them.');
  document.getElementById('roc-title').append('ROC, AUC ', number('pooled.auc'));
  document.getElementById('pr-title').append('Precision and recall, average precision ',
                                             number('pooled.average_precision'));
  document.getElementById('reliability-title').append('Reliability, Brier score ', number('pooled.brier'),
                                                      ', ECE ', number('reliability.ece'));
  curvePlot('roc', 'false_positive_rate', 'recall', 'False-positive rate', 'Recall', [{x: 0, y: 0}, {x: 1, y: 1}]);
  curvePlot('pr', 'recall', 'precision', 'Recall', 'Precision');
  errorPlot();
  reliabilityPlot();
  logOddsPlot();
}

