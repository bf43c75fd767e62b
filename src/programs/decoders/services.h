// What a process does that decodes. Both return when nobody asks any more.
#pragma once

#include <string>

namespace skinmask {

// Decodes images that come with the requests.
void ServeImages(int socket);
// Decodes one video, frame by frame, when it is asked for the next. `file` may be empty: then a
// pipe comes with the first message.
void ServeVideo(int socket, const std::string& file);

}  // namespace skinmask
