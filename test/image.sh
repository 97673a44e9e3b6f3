#!/bin/sh
# Builds the image twice, the second time from a copy of the repository elsewhere and with an empty build cache, and compares. Then a
# test looks into the archive. Some minutes.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make --no-print-directory image
mkdir "$dir/elsewhere" "$dir/cache"
git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C "$dir/elsewhere"
GOCACHE=$dir/cache make --no-print-directory -C "$dir/elsewhere" image
for name in seatrial-image.tar seatrial-image.cdx.json; do
  cmp "bin/$name" "$dir/elsewhere/bin/$name"
  sha256sum "bin/$name"
done
echo 'both builds are the same, byte for byte'
cd tools && SEATRIAL_IMAGE=$OLDPWD/bin/seatrial-image.tar go test -count=1 -run TheImageThatWasMade -v ./image
