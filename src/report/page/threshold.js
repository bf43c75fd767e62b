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

let triedStep = null;  // of the curves; null is the model's own threshold

function tryThreshold(step) {
  const own = report.curves.operating_point;
  triedStep = step === own ? null : step;
  const at = (key, digits) => number(`curves.${key}.${step}`, digits);
  document.getElementById('tried').replaceChildren(
      element('b', {}, 'P > ', at('threshold', 4)),
      triedStep === null ? ' (the model\'s threshold)' : '', ': recall ', at('recall', 3),
      ', precision ', at('precision', 3), ', false-positive rate ', at('false_positive_rate', 4),
      ', F1 ', element('b', {}, at('f1', 3)));
  document.getElementById('threshold')
      .setAttribute('aria-valuetext', `P > ${shown(report.curves.threshold[step], 4)}`);
  document.getElementById('own').disabled = triedStep === null;
  fillConfusion(triedStep === null ? null : countsAt(step));
  moveMarks(step);
}

// The slider's positions are the steps of the curves, so it goes from 'nothing' to 'everything'
// evenly along them; to the right the threshold rises.
function showThreshold() {
  const slider = document.getElementById('threshold'), last = report.curves.threshold.length - 1;
  const own = report.curves.operating_point;
  slider.max = last;
  slider.value = last - own;
  slider.addEventListener('input', () => tryThreshold(last - Number(slider.value)));
  document.getElementById('own').addEventListener('click', () => {
    slider.value = last - own;
    tryThreshold(own);
  });
  document.getElementById('trial').hidden = false;
  tryThreshold(own);
}
