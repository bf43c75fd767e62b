// Writes a source file that holds dlib's detector of frontal faces as its plain bytes:
//   embed_detector OUTPUT
// dlib has it compressed, and takes 0.3 s to unpack it; so it is unpacked when we are built.
#include "detect/adapt/dlib_detector.h"

#include <fstream>
#include <sstream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ostringstream bytes;
  dlib::serialize(dlib::get_frontal_face_detector(), bytes);
  std::ofstream out(argv[1]);
  out << "#include <string_view>\n\nnamespace skinmask {\n\n"
         "std::string_view FrontalFaceDetectorBytes() {\n  static const unsigned char kBytes[] = {";
  for (const char byte : bytes.str()) out << int(static_cast<unsigned char>(byte)) << ',';
  out << "};\n  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};\n}\n\n"
         "}  // namespace skinmask\n";
  return out.flush() ? 0 : 1;
}
