// ---- F1 of each image

function showDistribution() {
  const kBins = 20, scores = report.images.map((image) => image.f1).filter((f1) => f1 !== null);
  if (scores.length < 2) return;
  document.getElementById('distribution-figure').hidden = false;
  const counts = new Array(kBins).fill(0);
  for (const f1 of scores) ++counts[Math.min(kBins - 1, Math.floor(f1 * kBins))];
  const canvas = document.getElementById('distribution'),
        ends = (i) => `${shown(i / kBins, 2)} to ${shown((i + 1) / kBins, 2)}`;
  plot(canvas, () => {
    const shape = options(
        'F1 of the image', 'Images',
        (context) => `F1 ${ends(context.dataIndex)}: ${shown(context.raw.y, 0)} images`);
    shape.scales = {
      x: {...axis('F1 of the image'), offset: false, grid: {offset: false}},
      y: {
        ...axis('Images'),
        max: undefined,
        ticks: {precision: 0, maxTicksLimit: 8, includeBounds: false}
      }
    };
    shape.plugins.legend.display = false;
    shape.interaction = {mode: 'nearest', intersect: false, axis: 'x'};
    return {
      type: 'bar',
      data: {
        datasets: [{
          type: 'bar',
          label: 'images',
          data: counts.map((y, i) => ({x: (i + 0.5) / kBins, y})),
          backgroundColor: colour('negative') + 'a0',
          barPercentage: 1,
          categoryPercentage: 1,
          grouped: false
        }]
      },
      options: shape
    };
  });
  tellNumbers(canvas, ['F1', 'images'], kBins, (i) => [ends(i), shown(counts[i], 0)]);
}
