// What detection writes, and what its files are called.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "skinmask/media/inputs.h"

namespace [[gnu::visibility("default")]] skinmask {

// What detection can write, and the suffix that tells it apart.
enum class Output { kMask, kProbability, kOverlay, kCutout, kClasses };
std::string_view OutputSuffix(Output output);       // ".png", ".probability.png", ...
std::string_view VideoOutputSuffix(Output output);  // ".mkv", ".overlay.mp4", ...
// Of a video with transparency by one of FFmpeg's encoders: ".webm" for VP8 and VP9, ".mov" for
// ProRes, ".mkv" for all others.
std::string_view TransparentExtension(std::string_view codec);
Output OutputFromName(std::string_view name);  // "mask", "probability", ...; throws Error

// True for what detection writes beside masks, by its name.
bool IsOtherOutput(const std::filesystem::path& path);

// Paths of the outputs below the output folder: result[i][j] for inputs[i] and outputs[j]; relative
// path with the extension replaced. Inputs whose outputs would share a name keep their full name
// (b.jpg.png beside b.png.png). Where that does not help (the same relative path in two input
// folders) the later input goes to `problem` and gets no paths. With `frame_folders` a video has
// one path, that of a folder: its name without the extension.
std::vector<std::vector<std::filesystem::path>> OutputPaths(const std::vector<InputFile>& inputs,
                                                            const std::vector<Output>& outputs,
                                                            const ProblemSink& problem,
                                                            bool frame_folders = false);

}  // namespace skinmask
