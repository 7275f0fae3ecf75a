import { format } from "@parcelkit/core/money"
import type { Offer } from "@parcelkit/rates/quote"

export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length)
    })
  }
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] as number)).join("  ").trimEnd()).join("\n")
}

export function offers(list: readonly Offer[]): string {
  const rows = list.map((offer) => [
    offer.carrier,
    offer.service,
    format(offer.price),
    offer.days[0] === offer.days[1] ? `${offer.days[0]} d` : `${offer.days[0]}-${offer.days[1]} d`,
  ])
  return table([["CARRIER", "SERVICE", "PRICE", "DAYS"], ...rows])
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
