// One line of text that never makes its window wider; what does not fit is in its tip.
#pragma once

#include <QLabel>

namespace skinmask::live {

class Line : public QLabel {
 public:
  explicit Line(QWidget* parent) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setText(" ");
  }
  void SetLine(const QString& line) {
    if (line == line_) return;
    line_ = line;
    setToolTip(line);
    Elide();
  }
  const QString& line() const { return line_; }

 protected:
  void resizeEvent(QResizeEvent*) override { Elide(); }

 private:
  void Elide() {
    const QString text = fontMetrics().elidedText(line_, Qt::ElideMiddle, width() - 2 * margin());
    setText(text.isEmpty() ? " " : text);
  }

  QString line_;
};

}  // namespace skinmask::live
