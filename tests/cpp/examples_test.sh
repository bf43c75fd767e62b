#!/bin/sh
# The programs of docs/cpp.md and README.md do what the verbs of the program do, and catch what goes wrong.
# usage: examples_test.sh FOLDER SKINMASK SOURCE      FOLDER: of the programs
set -eu
unset SKINMASK_FACES  # the library has its own finder, and the program shall have the same
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
# One line on standard error, with status 1, and no word of terminate.
refuses() {
  line=$1
  shift
  status=0
  "$@" >/dev/null 2>error || status=$?
  [ "$status" = 1 ] || fail "$* has status $status: $(cat error)"
  [ "$(wc -l <error)" = 1 ] || fail "$* says $(cat error)"
  grep -q "^$line" error || fail "$* says $(cat error)"
}

cp "$3"/samples/photos/grace_hopper.jpg .
"$2" detect -q grace_hopper.jpg -o truth
"$1"/cpp_photo grace_hopper.jpg mask.png
cmp mask.png truth/grace_hopper.png || fail 'photo: another mask'
refuses 'mask.png: exists already' "$1"/cpp_photo grace_hopper.jpg mask.png
refuses 'none.jpg: cannot be read' "$1"/cpp_photo none.jpg other.png
refuses 'usage: ' "$1"/cpp_photo
rm mask.png
"$1"/cpp_readme grace_hopper.jpg
cmp mask.png truth/grace_hopper.png || fail 'README: another mask'
refuses 'mask.png: exists already' "$1"/cpp_readme grace_hopper.jpg

"$1"/cpp_model "$3"/samples/labelled-pixels.csv model.json | grep -q '^F1 0\.[0-9]* at threshold' || fail 'model: no score'
"$2" train -q --samples "$3"/samples/labelled-pixels.csv --kind lda --max-f1 -o trained.json
cmp model.json trained.json || fail 'model: another model'
refuses 'model.json: exists already' "$1"/cpp_model "$3"/samples/labelled-pixels.csv model.json

mkdir images masks
cp "$3"/samples/photos/* images
cp truth/grace_hopper.png masks
"$2" detect -q images -o masks --resume
"$1"/cpp_judge images masks >judged
[ "$(cat judged)" = '2 images, F1 1.0000' ] || fail "judge: $(cat judged)"
refuses 'absent: ' "$1"/cpp_judge absent masks

command -v ffmpeg >/dev/null || exit 0
ffmpeg -v error -loop 1 -framerate 30000/1001 -i grace_hopper.jpg -vf scroll=h=0.01,scale=160:192 -frames:v 12 -c:v ffv1 v.mkv
"$1"/cpp_stream v.mkv masks.mkv >regions
[ "$(wc -l <regions)" = 12 ] || fail "stream: $(cat regions)"
"$2" detect -q v.mkv -o truth
for file in masks.mkv truth/v.mkv; do
  ffmpeg -v error -i "$file" -f framemd5 - | grep -v '^#' | sed 's/.*,//' >"$file.frames"
done
cmp masks.mkv.frames truth/v.mkv.frames || fail 'stream: other masks'
refuses 'none.mkv: ' "$1"/cpp_stream none.mkv m.mkv
