// The functions of libarchive in the module skinmask-tar. libarchive loads a dozen libraries, so
// the module is loaded with the first archive.
#pragma once

#include <archive.h>
#include <archive_entry.h>

// clang-format off
#define SKINMASK_LIBARCHIVE(F)                                                                   \
  F(archive_error_string) F(archive_filter_bytes) F(archive_set_error)                           \
  F(archive_read_new) F(archive_read_free) F(archive_read_support_format_tar)                    \
  F(archive_read_open2) F(archive_read_next_header) F(archive_read_data_block)                   \
  F(archive_entry_new) F(archive_entry_free) F(archive_entry_pathname)                           \
  F(archive_entry_pathname_utf8) F(archive_entry_hardlink) F(archive_entry_filetype)             \
  F(archive_entry_size) F(archive_entry_sparse_count) F(archive_entry_set_pathname)              \
  F(archive_entry_set_size) F(archive_entry_set_filetype) F(archive_entry_set_perm)              \
  F(archive_write_new) F(archive_write_free) F(archive_write_set_format_gnutar)                  \
  F(archive_write_set_bytes_per_block) F(archive_write_open2) F(archive_write_header)            \
  F(archive_write_data) F(archive_write_close)
// clang-format on

namespace skinmask {

// The members have the names of the functions.
struct LibArchive {
#define SKINMASK_MEMBER(name) decltype(&::name) name;
  SKINMASK_LIBARCHIVE(SKINMASK_MEMBER)
#undef SKINMASK_MEMBER
};

}  // namespace skinmask

extern "C" void skinmask_libarchive(skinmask::LibArchive& functions);
