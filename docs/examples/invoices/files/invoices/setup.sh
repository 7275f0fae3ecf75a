# Makes ten invoices. BENCH_SEED decides what is in them, so it is another ten in
# each iteration, and the same in every mode.
mkdir invoices
draw=$BENCH_SEED
next() { draw=$(((draw * 1103515245 + 12345) % 2147483648)); drawn=$((draw / 65536 % $1)); }

for month in 01 02 03 04 05 06 07 08 09 10; do
  next 900 && total=$((drawn + 100))
  next 3 && case $drawn in 0) status=paid ;; *) status=open ;; esac
  # There is always one of each.
  case $month in 02) status=paid ;; 03) status=open ;; esac
  next 3 && case $drawn in 0) customer='Alder Mills' ;; 1) customer='Birch and Sons' ;; *) customer='Cedar Hotel' ;; esac
  printf 'customer: %s\nstatus: %s\ntotal: %s\nnote: to be paid within a month\n' "$customer" "$status" "$total" > "invoices/2026-$month.txt"
done

# The one that is to be corrected, and to what.
next 8 && echo "invoice.file=2026-0$((drawn + 1)).txt" >> "$BENCH_RESOURCES"
next 900 && echo "invoice.total=$((drawn + 1000))" >> "$BENCH_RESOURCES"
