#include "pipeline/bytes_as_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// The examples of RFC 4648, section 10.
TEST(BytesAsText, Base64IsThatOfTheStandard) {
  for (const auto& [bytes, text] : {std::pair("", ""),
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(Base64(bytes), text);
    EXPECT_EQ(FromBase64(text), bytes);
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(FromBase64(Base64(all)), all);
}

// Without padding, with bits that are lost, white space, other characters, or more padding.
TEST(BytesAsText, OtherTextsAreRefused) {
  for (const char* text :
       {"Zg", "Zh==", "Zg== ", "Z g==", "Zm9v\n", "Zm-_", "====", "Zg==Zg==", "Z"})
    EXPECT_THROW(FromBase64(text), Error) << text;
}

// The examples of FIPS 180-4's publisher (NIST, SHA256.pdf), and that of nothing.
TEST(BytesAsText, DigestIsThatOfTheStandard) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace skinmask
