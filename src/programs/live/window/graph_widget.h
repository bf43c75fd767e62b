// The last latencies as a line.
#pragma once

#include <QWidget>

#include "programs/live/history.h"

namespace skinmask::live {

class GraphWidget : public QWidget {
 public:
  // `history` in milliseconds.
  GraphWidget(const History& history, QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const History& history_;
};

}  // namespace skinmask::live
