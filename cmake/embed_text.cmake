# Writes OUTPUT, a source file with a function NAME of skinmask::assets that returns the text of the
# files INPUT, one after the other: cmake "-DINPUT=...;..." -DOUTPUT=... -DNAME=... -P this.
set(text "")
foreach(file ${INPUT})
  file(READ ${file} part)
  string(APPEND text "${part}")
endforeach()
file(WRITE "${OUTPUT}"
     "#include <string_view>\n\n"
     "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Woverlength-strings\"\n#endif\n\n"
     "namespace skinmask::assets {\n\n"
     "std::string_view ${NAME}() {\n  return R\"SKINMASK(${text})SKINMASK\";\n}\n\n"
     "}  // namespace skinmask::assets\n")
