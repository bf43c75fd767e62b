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

// `steps`: a value holds from the point before up to its own, so that the area is their mean; else
// values between two points lie on a line.
function curvePlot(id, x, y, xTitle, yTitle, {baseline, steps}) {
  const c = report.curves;
  const curve = points(c[x], c[y]);
  if (steps) curve.unshift(...curve.slice(0, 1).map((first) => ({...first, x: 0})));
  const pointAt = (i) => (c[x][i] === null || c[y][i] === null ? [] : [{x: c[x][i], y: c[y][i], i}]);
  plot(byId(id), () => ({data: {datasets: [
    line(yTitle + ' against ' + xTitle.toLowerCase(), curve, 'positive', steps ? {stepped: 'after'} : {}),
    {...dot('threshold', {}, 'mark'), data: pointAt(triedStep ?? c.operating_point), follow: pointAt},
    ...(baseline ? [line('chance', baseline, 'faint', {borderDash: [4, 4], borderWidth: 1})] : []),
  ]}, options: options(xTitle, yTitle, curveLabel)}));
}

// An upright line at the threshold that is tried, where `values` has it for each step of the curves.
function thresholdLine(values, top = 1) {
  const at = (i) => (values[i] === null ? [] : [{x: values[i], y: 0, count: 0}, {x: values[i], y: top, count: 0}]);
  return line('threshold', at(triedStep ?? report.curves.operating_point), 'mark', {borderWidth: 1.5, pointHitRadius: 0, follow: at});
}

// A table of the curves' steps below a plot.
function tellSteps(id, keys) {
  tellNumbers(byId(id), keys.map((key) => key.replaceAll('_', ' ')), report.curves.threshold.length,
              (i) => keys.map((key) => number(`curves.${key}.${i}`)));
}

function tellBins() {
  const bins = report.reliability.bins, h = report.log_odds;
  tellNumbers(byId('reliability'), ['P from', 'to', 'pixels', 'mean P', 'share of ' + positive], bins.length, (i) =>
      [['low', 3], ['high', 3], ['count', 0], ['mean_probability', 4], ['positive_share', 4]].map(([key, digits]) =>
          number(`reliability.bins.${i}.${key}`, digits)));
  tellNumbers(byId('log-odds'), ['log-odds from', positive, negative], h.positive.length, (i) =>
      [shown(h.low + i * h.width, 2), number(`log_odds.positive_share.${i}`), number(`log_odds.negative_share.${i}`)]);
}

// A rate changes at scores alone: each step of the curves has the lowest log-odds that it calls
// positive, null where that is not finite: for the first, which calls nothing positive, and for a
// threshold of 0.
function stairs(rates) {
  const ends = report.curves.score.map((score, k) => (score !== null ? 1 / (1 + Math.exp(-score)) : report.curves.threshold[k] > 0 ? 1 : 0));
  const steps = points(ends, rates);
  const corners = steps.flatMap((step, k) => (k === 0 ? [step] : [{...steps[k - 1], x: step.x}, step]));
  return [...corners, ...corners.slice(-1).map((last) => ({...last, x: 0}))];
}

function errorPlot() {
  const c = report.curves;
  plot(byId('errors'), () => ({data: {datasets: [
    line('all pixels', stairs(c.error_rate), 'mark'),
    line('false negatives', stairs(c.false_negative_rate), 'negative', {borderDash: [6, 3]}),
    line('false positives', stairs(c.false_positive_rate), 'positive', {borderDash: [2, 2]}),
    thresholdLine(c.threshold),
  ]}, options: options(`Threshold on P(${positive})`, 'Rate', curveLabel, 'x')}));
}

function reliabilityPlot() {
  const bins = report.reliability.bins.filter((bin) => bin.count > 0);
  const label = (context) => {
    const bin = bins[context.raw.i];
    return bin ? [`P in ${shown(bin.low, 3)} to ${shown(bin.high, 3)}`, `${shown(bin.count, 0)} pixels`,
                  `mean P ${shown(bin.mean_probability, 4)}`,
                  `share of ${positive} ${shown(bin.positive_share, 4)}`] : context.dataset.label;
  };
  plot(byId('reliability'), () => ({data: {datasets: [
    line('the model', bins.map((bin, i) => ({x: bin.mean_probability, y: bin.positive_share, i})), 'positive',
         {pointRadius: 4}),
    line('perfect calibration', [{x: 0, y: 0}, {x: 1, y: 1}], 'faint', {borderDash: [4, 4], borderWidth: 1}),
    thresholdLine(report.curves.threshold),
  ]}, options: options(`Mean P(${positive}) in the bin`, `Share of ${positive}`, label)}));
}

function logOddsPlot() {
  const h = report.log_odds;
  const places = (shares, counts) =>
      shares.map((y, i) => ({x: h.low + (i + 0.5) * h.width, y, count: counts[i]}));
  const label = (context) => `${context.dataset.label}: ${shown(context.raw.count, 0)} pixels ` +
      `(share ${shown(context.raw.y, 4)})`;
  const most = Math.max(0, ...h.positive_share, ...h.negative_share);
  plot(byId('log-odds'), () => {
    const wide = options('Log-odds', 'Share of the class', label, 'x');
    wide.scales = {x: barAxis('Log-odds', h.low, h.low + h.width * h.positive.length),
                   y: {...axis('Share of the class'), max: undefined}};
    const datasets = [bars(positive, places(h.positive_share, h.positive), 'positive'),
                      bars(negative, places(h.negative_share, h.negative), 'negative'),
                      thresholdLine(report.curves.log_odds, most)];
    wide.plugins.tooltip.filter = (item) => item.dataset.type === 'bar';
    return {type: 'bar', data: {datasets}, options: wide};
  });
}

// What not answering is worth: the surest pixels first.
function riskPlot() {
  const s = report.selective;
  const canvas = byId('risk');
  byId('risk-title').append('Risk against coverage, area ', number('selective.area'));
  const most = Math.max(...s.risk, 1e-9) * 1.1;
  const label = (context) => context.raw.i === undefined ? context.dataset.label :
      [`the surest ${(100 * context.raw.x).toFixed(1)} % of the pixels`, `wrong of these: ${shown(context.raw.y, 4)}`];
  plot(canvas, () => {
    const shape = options('Coverage: share of pixels that are answered', 'Risk: share of these that is wrong', label);
    shape.scales.y.max = most;
    return {data: {datasets: [
      line('the surest pixels first', points(s.coverage, s.risk), 'positive'),
      ...(s.abstain && s.abstain.risk !== null ? [dot(`abstaining where ${s.abstain.low} < P ≤ ${s.abstain.high}`,
                           {x: s.abstain.coverage, y: s.abstain.risk}, 'mark')] : [])]}, options: shape};
  });
  tellNumbers(canvas, ['coverage', 'risk'], s.risk.length,
              (i) => [number(`selective.coverage.${i}`), number(`selective.risk.${i}`)]);
}

// How the threshold of the evaluation was chosen.
function thresholdOrigin() {
  const {rule, data} = report.decision ?? report.model;
  return data ? `${rule}, chosen on ${data}` : rule;
}

function showCurves() {
  byId('curves').hidden = false;
  const note = byId('curve-note');
  note.append(`The diamond is the threshold (${thresholdOrigin()}); it has recall `, number('operating_point.recall'), ', precision ',
              number('operating_point.precision'), ', false-positive rate ',
              number('operating_point.false_positive_rate'), '. ');
  if (report.best_f1)
    note.append('The best F1 of these pixels, ', number('best_f1.f1'), ', is at a threshold of ',
                number('best_f1.threshold'), '. ');
  note.append('Drawn are at most some 500 points of ', number('curves.steps', 0), '; the areas are of all of them.');
  byId('roc-title').append('ROC, ', term('auc', 'AUC'), ' ', number('pooled.auc'));
  byId('pr-title').append('Precision and recall, ', term('average_precision', 'average precision'), ' ',
                                             number('pooled.average_precision'));
  byId('reliability-title').append('Reliability, ', term('brier', 'Brier score'), ' ', number('pooled.brier'),
                                                      ', ', term('ece', 'ECE'), ' ', number('reliability.ece'));
  curvePlot('roc', 'false_positive_rate', 'recall', 'False-positive rate', 'Recall', {baseline: [{x: 0, y: 0}, {x: 1, y: 1}]});
  curvePlot('pr', 'recall', 'precision', 'Recall', 'Precision', {steps: true});
  errorPlot();
  reliabilityPlot();
  riskPlot();
  logOddsPlot();
  tellSteps('roc', ['threshold', 'false_positive_rate', 'recall']);
  tellSteps('pr', ['threshold', 'recall', 'precision', 'f1']);
  tellSteps('errors', ['threshold', 'error_rate', 'false_negative_rate', 'false_positive_rate']);
  tellBins();
}

// ---- The threshold that one tries

// Plots follow it: their datasets with `follow` get the data that it gives for a step of the
// curves.
function moveMarks(step) {
  for (const {chart} of charts) {
    const marks = chart.data.datasets.filter((dataset) => dataset.follow);
    for (const mark of marks) mark.data = mark.follow(step);
    if (marks.length) chart.update('none');
  }
}

// Counts at a step of the curves, whole numbers again: recall is hits by positives.
function countsAt(step) {
  const c = report.curves, {tp, fn, fp, tn} = report.pooled;
  const hits = Math.round((c.recall[step] ?? 0) * (tp + fn)),
        alarms = Math.round((c.false_positive_rate[step] ?? 0) * (fp + tn));
  return {tp: hits, fn: tp + fn - hits, fp: alarms, tn: fp + tn - alarms};
}

let triedStep = null;  // of the curves; null is the threshold of the evaluation

function tryThreshold(step) {
  const own = report.curves.operating_point;
  triedStep = step === own ? null : step;
  const at = (key, digits) => number(`curves.${key}.${step}`, digits);
  byId('tried').replaceChildren(
      element('b', {}, 'P > ', at('threshold', 4)), ' (log-odds ', at('log_odds', 2), ')',
      triedStep === null ? ` (${thresholdOrigin()})` : '', ': recall ', at('recall', 3),
      ', precision ', at('precision', 3), ', false-positive rate ', at('false_positive_rate', 4),
      ', F1 ', element('b', {}, at('f1', 3)));
  byId('threshold').setAttribute('aria-valuetext', `P > ${shown(report.curves.threshold[step], 4)}, log-odds ${shown(report.curves.log_odds[step], 2)}`);
  byId('own').disabled = triedStep === null;
  fillConfusion(triedStep === null ? null : countsAt(step));
  moveMarks(step);
}

// The slider's positions are the steps of the curves, so it goes from 'nothing' to 'everything'
// evenly along them; to the right the threshold rises.
function showThreshold() {
  const slider = byId('threshold'), last = report.curves.threshold.length - 1;
  const own = report.curves.operating_point;
  slider.max = last;
  slider.value = last - own;
  slider.addEventListener('input', () => tryThreshold(last - Number(slider.value)));
  byId('own').addEventListener('click', () => {
    slider.value = last - own;
    tryThreshold(own);
  });
  byId('trial').hidden = false;
  tryThreshold(own);
}
