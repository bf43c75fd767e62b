// Files that a stranger might leave in a folder of photographs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "support/pictures.h"

namespace skinmask::testing {

// NITF by its first bytes, which OpenCV hands to GDAL, and to GDAL a virtual raster: the picture in
// another file, or behind an address.
inline std::string NitfOf(const std::string& source, int width, int height) {
  const std::string size = "rasterXSize=\"" + std::to_string(width) + "\" rasterYSize=\"" +
                           std::to_string(height) + "\"";
  std::string xml = "NITF02.10<VRTDataset " + size + ">";
  int band = 0;
  for (const char* const color : {"Red", "Green", "Blue"}) {
    const std::string number = std::to_string(++band);
    xml += "<VRTRasterBand dataType=\"Byte\" band=\"" + number + "\"><ColorInterp>" + color +
           "</ColorInterp><SimpleSource><SourceFilename relativeToVRT=\"0\">" + source +
           "</SourceFilename><SourceBand>" + number +
           "</SourceBand></SimpleSource></VRTRasterBand>";
  }
  return xml + "</VRTDataset>";
}

// A playlist of `entry`, with or without its end.
inline std::string HlsOf(const std::string& entry, int times, bool ends) {
  std::string list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n";
  for (int i = 0; i < times; ++i) list += "#EXTINF:10,\n" + entry + "\n";
  return list + (ends ? "#EXT-X-ENDLIST\n" : "");
}

inline std::string DashOf(const std::string& entry) {
  return "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
         "mediaPresentationDuration=\"PT10S\"><Period><AdaptationSet contentType=\"video\">"
         "<Representation id=\"0\" bandwidth=\"1000\"><BaseURL>" +
         entry + "</BaseURL></Representation></AdaptationSet></Period></MPD>";
}

// A PNG whose header claims so many pixels, and whose data are a few bytes.
inline std::string PngOfSize(std::uint32_t width, std::uint32_t height) {
  std::string png = Encode(".png", Gradient(8, 8));
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (int i = 3; i >= 0; --i, value >>= 8)
      png[at + static_cast<std::size_t>(i)] = static_cast<char>(value);
  };
  put(16, width);
  put(20, height);
  std::uint32_t crc = 0xFFFFFFFF;  // of the chunk's type and data (PNG, annex D)
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= static_cast<std::uint8_t>(png[i]);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? 0xEDB88320 ^ crc >> 1 : crc >> 1;
  }
  put(29, ~crc);
  return png;
}

// A header of the tape format of POSIX; of `name` as much as there is room for.
inline std::string TarHeader(const std::string& name, std::size_t size, const std::string& type) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, fmt::format("{:011o}", size));
  put(148, "        ");
  put(156, type);
  put(257, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<std::uint8_t>(c);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  return header;
}

// A tape with one file; a long name stands before it, as GNU's tar writes it.
inline std::string TarOf(const std::string& name, const std::string& bytes) {
  const auto blocks = [](std::string content) {
    content.resize((content.size() + 511) / 512 * 512);
    return content;
  };
  std::string tar;
  if (name.size() > 100)
    tar = TarHeader("././@LongLink", name.size() + 1, "L") + blocks(name + '\0');
  return tar + TarHeader(name, bytes.size(), "0") + blocks(bytes) + std::string(1024, '\0');
}

// A Flash video of three pictures in Flash Screen Video (SWF specification, 19), each a block that
// unpacks to one byte: FFmpeg shows what its memory held in the rest.
inline std::string FlashScreenOf(int width, int height) {
  const auto big = [](std::size_t value, int bytes) {
    std::string text;
    while (bytes-- > 0) text += static_cast<char>(value >> 8 * bytes);
    return text;
  };
  // zlib (RFC 1950) of one byte that is stored
  const std::string block("\x78\x01\x01\x01\x00\xfe\xff\x00\x00\x01\x00\x01", 12);
  const auto side = [](int pixels) { return static_cast<std::size_t>(15 << 12 | pixels); };
  const std::string picture =
      "\x13" + big(side(width), 2) + big(side(height), 2) + big(block.size(), 2) + block;
  std::string flv = "FLV" + big(0x0101, 2) + big(9, 4) + big(0, 4);
  for (std::size_t i = 0; i < 3; ++i)
    flv += "\x09" + big(picture.size(), 3) + big(40 * i, 3) + big(0, 4) + picture +
           big(picture.size() + 11, 4);
  return flv;
}

// A GIF of two pictures of one pixel on a canvas of that size.
inline std::string GifOf(int width, int height) {
  const auto side = [](int pixels) {
    return std::string{static_cast<char>(pixels), static_cast<char>(pixels >> 8)};
  };
  const std::string picture("\x2C\0\0\0\0\1\0\1\0\0\2\2\x44\1\0", 15);
  return "GIF89a" + side(width) + side(height) + std::string("\x80\0\0\0\0\0\xFF\xFF\xFF", 9) +
         picture + picture + ";";
}

// A progressive JPEG (ITU-T T.81) of 8 x 8 grey pixels, in so many scans, 65 at most: one of the
// mean without its last bit, one of that bit, and one of each frequency, which is nothing.
inline std::string JpegOfScans(int count) {
  const auto segment = [](char marker, const std::string& content) {
    return std::string("\xFF") + marker + '\0' + static_cast<char>(content.size() + 2) + content;
  };
  const auto table = [&](char kind) {  // of Huffman: the one bit 0 is the symbol 0
    return segment('\xC4', std::string{kind, 1} + std::string(16, '\0'));
  };
  const auto scan = [&](int frequency, char bits) {
    const char one = static_cast<char>(frequency);
    return segment('\xDA', std::string{1, 1, 0, one, one, bits}) + '\x7F';
  };
  std::string ones(65, '\1');  // of quantization
  ones[0] = 0;
  std::string jpeg("\xFF\xD8");
  jpeg += segment('\xDB', ones);
  jpeg += segment('\xC2', std::string{8, 0, 8, 0, 8, 1, 1, 0x11, 0});
  for (const char kind : {'\0', '\x10'}) jpeg += table(kind);
  jpeg += scan(0, 0x01);
  jpeg += scan(0, 0x10);
  for (int frequency = 1; frequency <= count - 2; ++frequency) jpeg += scan(frequency, 0);
  return jpeg + "\xFF\xD9";
}

// By name; `secret` is the absolute path of a picture or a video that is not theirs.
inline std::map<std::string, std::string> HostileFiles(const std::string& secret) {
  std::map<std::string, std::string> files;
  files["nitf-file.jpg"] = NitfOf(secret, 64, 48);
  files["nitf-address.png"] = NitfOf("/vsicurl/http://127.0.0.1:9/a.png", 64, 48);
  files["dicom.jpg"] = std::string(128, '\0') + "DICM" + std::string(200, '\x01');
  std::string webp_dicom = std::string("RIFF\xFF\0\0\0WEBPVP8 ", 16) + std::string(112, '\0');
  files["dicom.webp"] = webp_dicom + "DICM" + std::string(200, '\x01');
  files["vp8l.png"] = "/" + std::string("\x31\x31\xF1\x0B") + std::string(99, '\x11');
  files["openexr.png"] = std::string("\x76\x2F\x31\x01\x02\0\0\0", 8) + std::string(90, 'x');
  files["jpeg2000.jpg"] = std::string("\0\0\0\x0CjP  \r\n\x87\n", 12) + std::string(90, '\0');
  files["huge.png"] = PngOfSize(60000, 60000);
  const std::string tiff = Encode(".tiff", Gradient(64, 48), {cv::IMWRITE_TIFF_COMPRESSION, 1});
  files["short.tiff"] = tiff.substr(0, tiff.size() - 1);
  files["short.ppm"] = "P6 60000 60000 255\n" + std::string(90, 'x');
  files["huge.bmp"] = Encode(".bmp", Gradient(8, 8)).replace(18, 8, "\x60\xEA\0\0\x60\xEA\0\0", 8);
  files["self.ts"] = HlsOf("self.ts", 39, true);
  files["endless.ts"] = HlsOf("endless.ts", 2, false);
  files["hls.mp4"] = HlsOf(secret, 1, true);
  files["hls.mkv"] = HlsOf(secret, 1, true);
  files["dash.mp4"] = DashOf(secret);
  files["canvas.gif"] = GifOf(4097, 4096);
  files["scans.jpg"] = JpegOfScans(65);
  files["spy.flv"] = FlashScreenOf(240, 240);
  files["concat.mp4"] = "ffconcat version 1.0\nfile '" + secret + "'\n";
  files["sdp.mp4"] = "v=0\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n";
  return files;
}

}  // namespace skinmask::testing
