import { oneLine, type Address } from "@parcelkit/core/address"
import { wrap } from "./layout.js"

const dotsPerMillimetre = 8

function dots(tenths: number): number {
  return Math.round((tenths / 10) * dotsPerMillimetre)
}

/** Escapes what the printer's language means otherwise. */
export function escape(text: string): string {
  return text.replace(/[\^~\\]/g, (c) => `_${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

export function text(x: number, y: number, height: number, value: string): string {
  return `^FO${dots(x)},${dots(y)}^A0N,${dots(height)}^FH^FD${escape(value)}^FS`
}

export function code128(x: number, y: number, height: number, digits: string): string {
  return `^FO${dots(x)},${dots(y)}^BCN,${dots(height)},Y,N,N^FD>;${digits}^FS`
}

export function document(parts: readonly string[], copies = 1): string {
  return ["^XA", "^CI28", ...parts, `^PQ${copies}`, "^XZ"].join("\n")
}

export function label(from: Address, to: Address, number: string, copies?: number): string {
  const lines = wrap(oneLine(to), 32)
  return document(
    [
      text(40, 40, 25, `From: ${from.name}, ${from.postcode} ${from.city}`),
      ...lines.map((line, i) => text(40, 160 + i * 60, 50, line)),
      code128(40, 900, 300, number),
    ],
    copies,
  )
}
