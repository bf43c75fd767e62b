// ---- What scores mean

const termTexts = {
  accuracy:
      'The share of all pixels that are called what they are. Where few pixels are positive it is high even if none is found.',
  precision: 'Of the pixels that are called positive, the share that is.',
  recall: 'Of the pixels that are positive, the share that is called so.',
  specificity:
      'Of the pixels that are not positive, the share that is called so. One minus it is the false-positive rate.',
  f1: 'The harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN). It is high only where both are.',
  iou:
      'Intersection over union: of the pixels that are positive or are called so, the share that is both.',
  auc:
      'The area under the ROC curve: how often a positive pixel has a higher P than another, of all pairs. 0.5 is chance. It needs no threshold.',
  average_precision: 'The mean of the precisions at all thresholds, each weighted by the recall that the threshold adds: the area under the steps of precision against recall. It needs no threshold.',
  brier: 'The mean of (P − truth)². Lower is better: 0 is perfect, 0.25 is always P = 0.5.',
  ece:
      'Expected calibration error: how far P is from the share of positive pixels among those that get it, on the mean over all pixels. Lower is better.',
  ece_middle:
      'The same over the pixels whose P is from 0.2 to 0.8 alone. They are few, so that the whole hides it.',
};

// The term that the tip is of, and where it was: a term that gets the focus may scroll into view.
let tipTerm = null, tipTop = 0;
const tip = element('div', {id: 'tip', role: 'tooltip', hidden: ''});
document.body.append(tip);

// The name of a score, which tells what it means where one hovers, taps or tabs.
function term(key, title) {
  const button =
      element('button', {type: 'button', class: 'term', 'aria-describedby': 'tip'}, title);
  const show = () => {
    tip.textContent = termTexts[key];
    tip.hidden = false;
    const at = button.getBoundingClientRect(), own = tip.getBoundingClientRect();
    tipTerm = button;
    tipTop = at.top;
    tip.style.left = Math.max(8, Math.min(at.left, innerWidth - own.width - 8)) + 'px';
    tip.style.top =
        (at.bottom + own.height + 12 > innerHeight ? at.top - own.height - 6 : at.bottom + 6) +
        'px';
  };
  const hide = () => {
    tip.hidden = true;
  };
  for (const event of ['mouseenter', 'focus', 'click']) button.addEventListener(event, show);
  for (const event of ['mouseleave', 'blur']) button.addEventListener(event, hide);
  return button;
}

addEventListener('keydown', (event) => {
  if (event.key === 'Escape') tip.hidden = true;
});
addEventListener('scroll', () => {
  if (tipTerm?.getBoundingClientRect().top !== tipTop) tip.hidden = true;
}, {passive: true});
