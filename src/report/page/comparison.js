// ---- The choice

const criteria = {auc: 'AUC', best_f1: 'best F1', log_loss: 'log-loss'};
const selected = {auc: 'auc', f1: 'best_f1', 'log-loss': 'log_loss', accuracy: 'accuracy', 'class-log-loss': 'class_log_loss'}[report.select];
// What is of all classes has a column where it decides.
if (!criteria[selected]) criteria[selected] = {accuracy: 'accuracy', class_log_loss: 'log-loss of all classes'}[selected];
const plotted = [...new Set(['auc', 'best_f1', 'log_loss', selected])];
const scored = report.models.flatMap((model, i) => (model.problem ? [] : [i]));
const isSimplest = (model) => model.name === report.choice.simplest;

// Enough to tell models apart: two digits of the smallest standard error.
const errors = scored.flatMap((i) => Object.keys(criteria).map((criterion) => report.models[i][criterion].standard_error));
const digits = Math.max(4, ...errors.filter((error) => error > 1e-7).map((error) => Math.ceil(-Math.log10(error)) + 1));

// Mean and standard error.
function estimate(i, criterion) {
  const path = `models.${i}.${criterion}.`;
  const spread = valueAt(path + 'standard_error');
  return spread === null ? [number(path + 'mean', digits)]
                         : [number(path + 'mean', digits), ' ± ', number(path + 'standard_error', digits)];
}

// Below the score that models are sorted by: how much it is less than the best, and the interval of that.
function difference(i, criterion) {
  const path = `models.${i}.difference.`;
  if (i === 0 || criterion !== selected || valueAt(path + 'mean') === null) return [];
  const interval = valueAt(path + 'interval') ?
      [' (', number(path + 'interval.0', digits), ' to ', number(path + 'interval.1', digits), ')'] :
      [];
  return [element('span', {class: 'interval'}, number(path + 'mean', digits), ...interval)];
}

function showSummary() {
  byId('summary').append(
      number('unit_count', 0), ' ', number('units'), ' in ', number('folds', 0), ' folds (seed ', number('seed', 0),
      '). Each model is judged on the folds that it was not trained on. Sorted by ', criteria[selected], '.');
}

function showChoice() {
  const choice = report.choice;
  byId('choice').hidden = false;
  byId('answer').append('Take ', element('b', {}, number('choice.simplest')), '.');
  const best = ['The best mean has ', number('choice.best'), ': ', criteria[selected], ' ', ...estimate(0, selected), '. '];
  byId('reason').append(...best, ...(choice.within === 1 ?
      ['No other has a difference to it within one standard error. '] :
      [number('choice.within', 0), ' models have a difference to it within one standard error. Of these ', number('choice.simplest'), ' has the fewest free parameters, ', number('choice.parameters', 0), '.']));
}

// ---- Plots

// A line of one standard error to either side of each point.
const errorBars = {
  id: 'errorBars',
  afterDatasetsDraw: (chart) => drawWithin(chart, (pen) => {
    const {x, y} = chart.scales;
    for (const dataset of chart.data.datasets) {
      if (!dataset.models) continue;
      pen.strokeStyle = dataset.borderColor;
      pen.lineWidth = 1;
      for (const point of dataset.data) {
        pen.beginPath();
        pen.moveTo(x.getPixelForValue(point.x), y.getPixelForValue(point.y - point.error));
        pen.lineTo(x.getPixelForValue(point.x), y.getPixelForValue(point.y + point.error));
        pen.stroke();
      }
    }
  }),
};

function modelPoints(criterion, keep) {
  return scored.filter((i) => keep(report.models[i])).map((i) => {
    const model = report.models[i], score = model[criterion];
    return {x: model.parameters, y: score.mean, error: score.standard_error ?? 0, i};
  });
}

function modelLabel(criterion) {
  return (context) => {
    const model = report.models[context.raw.i];
    if (!model) return context.dataset.label;
    const score = model[criterion];
    return [model.name, `${criteria[criterion]} ${shown(score.mean, digits)} ± ${shown(score.standard_error, digits)}`,
            `${shown(model.parameters, 0)} free parameters`];
  };
}

function showFigure(criterion) {
  const name = criteria[criterion], title = name[0].toUpperCase() + name.slice(1);
  const better = criterion.endsWith('log_loss') ? 'lower' : 'higher';
  const canvas = element('canvas', {id: criterion, role: 'img',
                                    'aria-label': title + ' against free parameters'});
  byId('figures').append(element('figure', {}, element('figcaption', {}, `${title} (${better} is better)`),
                                 element('div', {class: 'plot'}, canvas)));
}

function criterionPlot(criterion) {
  const all = modelPoints(criterion, () => true);
  const parameters = all.map((p) => p.x);
  const [least, most] = [Math.min(...parameters) / 2, Math.max(...parameters) * 2];
  const low = Math.min(...all.map((p) => p.y - p.error)), high = Math.max(...all.map((p) => p.y + p.error));
  const room = (high - low || 0.01) / 12;  // for marks at the ends; the axis goes on to round numbers
  plot(byId(criterion), () => {
    const models = (label, name, keep, more) => ({
      ...dot(label, {}, name), data: modelPoints(criterion, keep), models: true, pointStyle: 'circle', pointRadius: 4, clip: false, ...more});
    const datasets = [
      models('to take', 'positive', isSimplest, {pointStyle: 'rectRot', pointRadius: 7, order: -2}),
      models('within one standard error', 'negative', (m) => m.within_one_standard_error && !isSimplest(m)),
      models('others', 'faint', (m) => !m.within_one_standard_error, {order: 0}),
    ].filter((dataset) => dataset.data.length);
    const shape = options('Free parameters', criteria[criterion], modelLabel(criterion));
    shape.scales = {x: {...axis('Free parameters', least, most), type: 'logarithmic', ticks: {maxTicksLimit: 6, maxRotation: 0, callback: (value) =>
                          (Number.isInteger(Math.log10(value)) ? shown(value, 0) : '')}},
                    y: {...axis(criteria[criterion]), min: undefined, max: undefined, suggestedMin: Math.max(0, low - room), suggestedMax: criterion.endsWith('log_loss') ? high + room : Math.min(1, high + room)}};
    return {type: 'scatter', data: {datasets}, options: shape, plugins: [errorBars]};
  });
}

// ---- Tables

function modelRow(i) {
  const model = report.models[i], path = `models.${i}.`;
  const name = element('td', {}, number(path + 'name'));
  if (model.given) name.append(element('span', {class: 'interval'}, `as it is: ${model.kind} in ${model.space}`));
  if (model.problem) {
    const line = row('td', [name]);
    line.append(element('td', {colspan: 3 + Object.keys(criteria).length, class: 'problem'}, number(path + 'problem')));
    return line;
  }
  const line = row('td', [
    name, number(path + 'parameters', 0), ...Object.keys(criteria).map((criterion) => element('td', {}, ...estimate(i, criterion), ...difference(i, criterion))),
    number(path + 'pooled.f1'), number(path + 'fit_seconds', 2)]);
  if (model.within_one_standard_error) line.className = isSimplest(model) ? 'simplest' : 'within';
  return line;
}

function showModels() {
  byId('models').append(
      row('th', ['', 'free parameters', ...Object.values(criteria), 'F1 at 0.5', 's to train']),
      ...report.models.map((_, i) => modelRow(i)));
  const note = byId('table-note');
  note.append('± is one standard error over the folds. The best F1 is at the threshold that is best for each fold, so it ' +
              'flatters a little; F1 at 0.5 is of the pixels of all folds. ');
  if (report.choice)
    note.append(`Below each ${criteria[selected]} is its difference to the best, fold by fold, with its 95 % interval. ` +
                'Shaded are the models whose difference is within one standard error, the darker one being the one to take. ');
  if (report.models.some((model) => model.given))
    note.append('Models that are judged as they are may have been trained on these very pixels: where they were, their scores flatter them.');
}

function showClasses() {
  const judged = scored.filter((i) => report.models[i].pooled.classes);
  if (!judged.length) return;
  byId('of-classes').hidden = false;
  const names = [...new Set(judged.flatMap((i) => report.models[i].pooled.classes.classes))];
  byId('classes').append(row('th', ['', 'all', ...names]));
  for (const i of judged) {
    const path = `models.${i}.pooled.classes.`, own = valueAt(path + 'classes');
    const cells = names.map((name) => (own.includes(name) ? number(`${path}recall.${own.indexOf(name)}`) : '–'));
    // (A model that lacks a class is not judged on all pixels.)
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const pooled = report.models[i].pooled, counted = sum(pooled.classes.counts.map(sum));
    const all = counted === pooled.tp + pooled.fp + pooled.fn + pooled.tn ? number(path + 'accuracy') : '–';
    byId('classes').append(row('td', [number(`models.${i}.name`), all, ...cells]));
  }
}

// The numbers of a plot.
function tellPlot(criterion) {
  tellNumbers(byId(criterion), ['', 'free parameters', 'mean', 'standard error'], scored.length, (k) => {
    const path = `models.${scored[k]}.`;
    return [number(path + 'name'), number(path + 'parameters', 0), number(`${path}${criterion}.mean`, digits), number(`${path}${criterion}.standard_error`, digits)];
  });
}

function showFolds() {
  byId('of-folds').hidden = false;
  const folds = Array.from({length: report.folds}, (_, fold) => fold);
  byId('folds').append(
      row('th', [criteria[selected], ...folds.map((fold) => `fold ${fold + 1}`)]),
      ...scored.map((i) => row('td', [number(`models.${i}.name`),
                                      ...folds.map((fold) => number(`models.${i}.${selected}.folds.${fold}`, digits))])));
}

showSummary();
showModels();
if (report.choice) {
  showChoice();
  byId('plots').hidden = false;
  plotted.forEach(showFigure);
  plotted.forEach(criterionPlot);
  plotted.forEach(tellPlot);
  showClasses();
  showFolds();
}
