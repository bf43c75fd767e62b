# Writes OUTPUT, a source file that holds the text of INPUT: cmake -DINPUT=... -DOUTPUT=... -P this.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}"
     "#include \"skinmask/model/model.h\"\n\nnamespace skinmask {\n\n"
     "std::string_view DefaultModelJson() {\n  return R\"MODEL(${text})MODEL\";\n}\n\n"
     "}  // namespace skinmask\n")
