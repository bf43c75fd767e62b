// Which word was probably meant: 'did you mean' for names that are unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Of `words` the one that `text` is most likely a slip of; empty where none is near. Case does not
// count, nor dashes at the beginning. Near are words of the same letters in another order (RGB for
// BGR), words that `text` begins (at least three letters of them), and words at a distance
// (Damerau and Levenshtein: letters left out, put in, changed, or two swapped) of at most a third
// of the letters, rounded up. Of equals it is the first.
std::string Nearest(std::string_view text, const std::vector<std::string>& words);

// 'did you mean BGR? ', or nothing.
std::string DidYouMean(std::string_view text, const std::vector<std::string>& words);

// 'is unknown (did you mean BGR? there are: BGR YCrCb)', for the second half of an Error.
std::string UnknownAmong(std::string_view text, const std::vector<std::string>& words);

}  // namespace skinmask
