// A number from 0 to 1: a slider, the number itself, and a button that brings the model's own back.
#pragma once

#include <QWidget>
#include <functional>
#include <optional>

class QDoubleSpinBox;
class QSlider;
class QToolButton;

namespace skinmask::live {

class ValueControl : public QWidget {
 public:
  // `label` has its mnemonic. `changed` gets what the user chose; absent: the model's own.
  ValueControl(const QString& label, const QString& tip, double least, double most,
               std::function<void(std::optional<double>)> changed, QWidget* parent);

  // Not taken for the user's doing.
  void SetValue(double value);

 private:
  void Change(double value);
  void Place(double value);

  std::function<void(std::optional<double>)> changed_;
  QSlider* slider_;
  QDoubleSpinBox* number_;
};

}  // namespace skinmask::live
