// What permissions of files forbid, as they forbid root nothing.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skinmask::testing {

// What `call` says in a process without root's capabilities.
template <class Call>
bool SaysUnprivileged(const Call& call) {
  const pid_t child = fork();
  if (child == 0)
    [&]() noexcept {  // an exception ends the child, which is no second run of tests
      __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
      const __user_cap_data_struct none[2] = {};
      _exit(syscall(SYS_capset, &header, none) == 0 && call() ? 1 : 0);
    }();
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

}  // namespace skinmask::testing
