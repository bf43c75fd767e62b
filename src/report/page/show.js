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
