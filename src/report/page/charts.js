// ---- Plots

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const charts = [];

// A plot is a function that makes its configuration, so that a change of colours can make it again.
function plot(canvas, configure) {
  const make = () => {
    Chart.defaults.color = colour('faint');
    Chart.defaults.borderColor = colour('rule');
    Chart.defaults.font.family = 'system-ui, sans-serif';
    return new Chart(canvas, configure());
  };
  charts.push({make, chart: make()});
}

function recolour() {
  for (const entry of charts) {
    entry.chart.destroy();
    entry.chart = entry.make();
  }
}

const points = (xs, ys) =>
    xs.map((x, i) => ({x: x ?? NaN, y: ys[i] ?? NaN, i})).filter((p) => !Number.isNaN(p.x + p.y));

function axis(title, low = 0, high = 1) {
  return {type: 'linear', min: low, max: high, title: {display: true, text: title},
          ticks: {maxTicksLimit: 8, includeBounds: false}};
}

// Each entry with the mark of its data.
function legendEntries(chart) {
  return Chart.defaults.plugins.legend.labels.generateLabels(chart).map((item) => {
    const dataset = chart.data.datasets[item.datasetIndex];
    return {...item, pointStyle: dataset.pointStyle ?? (dataset.type === 'bar' ? 'rect' : 'line')};
  });
}

// `along`: the axes by which the nearest point is told.
function options(xTitle, yTitle, tooltip, along = 'xy') {
  return {
    animation: false, maintainAspectRatio: false,
    interaction: {mode: 'nearest', intersect: false, axis: along},
    scales: {x: axis(xTitle), y: axis(yTitle)},
    plugins: {
      legend: {labels: {boxWidth: 14, usePointStyle: true, generateLabels: legendEntries}},
      tooltip: {displayColors: false, callbacks: {title: () => '', label: tooltip}},
    },
  };
}

function line(label, data, name, more = {}) {
  return {type: 'scatter', label, data, showLine: true, borderColor: colour(name), backgroundColor: colour(name),
          borderWidth: 2, pointRadius: 0, pointHitRadius: 8, ...more};
}

// Bars that touch, over the axis of barAxis.
const bars = (label, data, name) => ({
  type: 'bar', label, data, backgroundColor: colour(name) + 'a0', barPercentage: 1, categoryPercentage: 1, grouped: false});
const barAxis = (...range) => ({...axis(...range), offset: false, grid: {offset: false}});

const dot = (label, point, name) => ({
  type: 'scatter', label, data: [point], borderColor: colour(name), backgroundColor: colour(name),
  pointRadius: 6, pointHoverRadius: 8, pointStyle: 'rectRot', order: -1});

// What `draw` draws with the pen stays within the axes.
function drawWithin({ctx: pen, chartArea: area}, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(area.left, area.top, area.width, area.height);
  pen.clip();
  draw(pen, area);
  pen.restore();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
// The print style's colours hold for plots too.
matchMedia('print').addEventListener('change', recolour);

