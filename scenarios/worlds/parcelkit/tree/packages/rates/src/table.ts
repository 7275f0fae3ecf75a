import type { Grams } from "@parcelkit/core/weight"
import type { Zone } from "@parcelkit/core/zone"
import { money, type Currency, type Money } from "@parcelkit/core/money"

/** One row of a tariff: up to this weight, a price for each zone. */
export interface Row {
  readonly upTo: Grams
  readonly prices: Readonly<Record<Zone, number>>
}

export interface Table {
  readonly service: string
  readonly currency: Currency
  readonly rows: readonly Row[]
}

/** The price of a weight in a zone; undefined for what is too heavy. */
export function lookup(table: Table, weight: Grams, zone: Zone): Money | undefined {
  const row = table.rows.find((candidate) => weight <= candidate.upTo)
  if (row === undefined) {
    return undefined
  }
  return money(row.prices[zone], table.currency)
}

export function heaviest(table: Table): Grams {
  const last = table.rows.at(-1)
  if (last === undefined) {
    throw new Error(`the table of ${table.service} is empty`)
  }
  return last.upTo
}

/** Tables are refused whose rows are not in order of their weight. */
export function validate(table: Table): string[] {
  const problems: string[] = []
  table.rows.forEach((row, i) => {
    const before = table.rows[i - 1]
    if (before !== undefined && row.upTo <= before.upTo) {
      problems.push(`row ${i + 1} of ${table.service} is not above the one before it`)
    }
    for (const [zone, price] of Object.entries(row.prices)) {
      if (!Number.isInteger(price) || price < 0) {
        problems.push(`row ${i + 1} of ${table.service} has the price ${price} in zone ${zone}`)
      }
    }
  })
  return problems
}

export function merge(a: Table, b: Table): Table {
  const rows = [...a.rows, ...b.rows].sort((x, y) => x.upTo - y.upTo)
  return { ...a, rows }
}
