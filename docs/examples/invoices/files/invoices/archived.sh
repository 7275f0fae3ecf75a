# Judges what an agent has left: it runs in a copy of that, after the agent's end.
# Set-up makes again what there was; the seed is the same.
mkdir "$BENCH_STATE/was"
(cd "$BENCH_STATE/was" && BENCH_RESOURCES=/dev/null sh "$BENCH_FILES/setup.sh")

for was in "$BENCH_STATE"/was/invoices/*; do
  name=${was##*/}
  place=invoices
  if grep -q '^status: paid$' "$was"; then place=archive; fi
  cmp -s "$was" "$place/$name" || { echo "$name is not in $place as it was"; exit 1; }
done
