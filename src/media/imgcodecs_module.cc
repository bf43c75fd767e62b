// The module skinmask-imgcodecs: WebP by libwebp, TIFF by libtiff; BMP, PNM and CMYK JPEGs by
// OpenCV.
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "media/file_bytes.h"
#include "media/image_codec.h"

namespace {

using skinmask::EndsInZeros;
using skinmask::ImageHeader;
using skinmask::IsTiff;

bool IsWebP(std::string_view bytes) { return bytes.starts_with("RIFF"); }

void ReadWebPHeader(std::string_view bytes, ImageHeader& header, std::string& problem) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const WebPData file{data, bytes.size()};
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> demuxer(WebPDemux(&file),
                                                                         WebPDemuxDelete);
  WebPBitstreamFeatures features;
  if (!demuxer || WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) {
    problem = "is a damaged WebP, or one that ends too early (a whole file)";
    return;
  }
  if (features.has_animation) problem = "is an animation (a WebP of one picture)";
  WebPIterator picture;
  if (WebPDemuxGetFrame(demuxer.get(), 1, &picture) &&
      EndsInZeros({reinterpret_cast<const char*>(picture.fragment.bytes), picture.fragment.size}))
    problem = "is a damaged WebP: its pixels end in zeros (a whole file)";
  WebPDemuxReleaseIterator(&picture);
  header.size = {features.width, features.height};
  WebPChunkIterator chunk;
  if (WebPDemuxGetChunk(demuxer.get(), "EXIF", 1, &chunk))
    header.exif = {reinterpret_cast<const char*>(chunk.chunk.bytes), chunk.chunk.size};
  WebPDemuxReleaseChunkIterator(&chunk);
}

void DecodeWebP(std::string_view bytes, cv::Mat& image) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  int width = 0, height = 0;
  if (!WebPGetInfo(data, bytes.size(), &width, &height)) return;
  cv::Mat bgr(height, width, CV_8UC3);
  if (WebPDecodeBGRInto(data, bytes.size(), bgr.data, bgr.total() * bgr.elemSize(),
                        static_cast<int>(bgr.step)))
    image = bgr;
}

}  // namespace

void skinmask_read_header(std::string_view bytes, ImageHeader& header, std::string& problem) {
  if (IsWebP(bytes))
    ReadWebPHeader(bytes, header, problem);
  else
    skinmask::ReadTiffHeader(bytes, header, problem);
}

// The first bytes were checked, so OpenCV chooses the decoder for this format and no other. The
// exception is WebP, for which OpenCV checks more bytes; it is passed to libwebp directly.
void skinmask_decode(std::string_view bytes, bool keep_grey, cv::Mat& pixels,
                     std::string& problem) {
  if (IsWebP(bytes)) return DecodeWebP(bytes, pixels);
  const int flags = cv::IMREAD_ANYDEPTH | cv::IMREAD_IGNORE_ORIENTATION |
                    (keep_grey ? cv::IMREAD_ANYCOLOR : cv::IMREAD_COLOR);
  const cv::Mat file(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  try {
    pixels = IsTiff(bytes) ? skinmask::DecodeTiff(bytes, keep_grey) : cv::imdecode(file, flags);
  } catch (const cv::Exception& e) {
    problem = "cannot be decoded: " + e.err;
  }
}

void skinmask_encode_webp(const cv::Mat& image, int quality, std::string& bytes) {
  std::vector<std::uint8_t> file;
  cv::imencode(".webp", image, file, {cv::IMWRITE_WEBP_QUALITY, quality});
  bytes.assign(file.begin(), file.end());
}
