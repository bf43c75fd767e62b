#!/bin/sh
# The program of docs/c.md writes the mask that `skinmask detect` writes, as evaluation finds.
# usage: example_test.sh EXAMPLE SKINMASK SOURCE
set -eu
unset SKINMASK_FACES  # the library has its own finder, and the program shall have the same
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir photo mask
fail() { echo "$*" >&2; exit 1; }
cp "$3/samples/photos/grace_hopper.jpg" photo
said=$("$1" photo/grace_hopper.jpg mask/grace_hopper.pgm)
"$2" detect photo -o truth >lines
line=$(grep hopper lines)  # photo/grace_hopper.jpg: 12.2 % skin -> …
percent=${line#*: }
[ "$said" = "${percent%% skin*} of photo/grace_hopper.jpg is skin" ] || fail "it says: $said, and not as in $line"
"$2" evaluate -q --predicted mask --truth truth --json | grep -q '"f1": 1[.0]*,' ||
  fail 'its mask differs'
"$1" none.jpg mask.pgm 2>error && fail 'it takes a file that is not there'
grep -q '^none.jpg: ' error
"$1" photo/grace_hopper.jpg absent/mask.pgm 2>error && fail 'it writes to a folder that is not there'
grep -q '^absent/mask.pgm: ' error
"$1" 2>error && fail 'it takes no words'
grep -q '^usage: ' error
