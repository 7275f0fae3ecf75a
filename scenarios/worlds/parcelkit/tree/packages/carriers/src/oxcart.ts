import { money } from "@parcelkit/core/money"
import { grams } from "@parcelkit/core/weight"
import { fail, ok, type Result } from "@parcelkit/core/result"
import { flat, isOversize, isRemote, percent, type Shipment } from "@parcelkit/rates/surcharge"
import type { Service } from "@parcelkit/rates/quote"
import type { Table } from "@parcelkit/rates/table"
import { request, type Credentials, type Label } from "./client.js"

const table: Table = {
  service: "standard",
  currency: "EUR",
  rows: [
    { upTo: grams(500), prices: { 1: 390, 2: 499, 3: 608, 4: 717, 5: 826 } },
    { upTo: grams(1000), prices: { 1: 524, 2: 670, 3: 817, 4: 964, 5: 1110 } },
    { upTo: grams(2000), prices: { 1: 658, 2: 842, 3: 1026, 4: 1210, 5: 1394 } },
    { upTo: grams(3000), prices: { 1: 792, 2: 1013, 3: 1235, 4: 1457, 5: 1679 } },
    { upTo: grams(5000), prices: { 1: 926, 2: 1185, 3: 1444, 4: 1703, 5: 1963 } },
    { upTo: grams(10000), prices: { 1: 1060, 2: 1356, 3: 1653, 4: 1950, 5: 2247 } },
    { upTo: grams(15000), prices: { 1: 1194, 2: 1528, 3: 1862, 4: 2196, 5: 2531 } },
    { upTo: grams(20000), prices: { 1: 1328, 2: 1699, 3: 2071, 4: 2443, 5: 2815 } },
    { upTo: grams(25000), prices: { 1: 1462, 2: 1871, 3: 2280, 4: 2690, 5: 3099 } },
    { upTo: grams(31500), prices: { 1: 1596, 2: 2042, 3: 2489, 4: 2936, 5: 3383 } },
  ],
}

/** Oxcart, parcels of up to 31.5 kg. */
export const oxcart: Service = {
  carrier: "oxcart",
  table,
  divisor: 5000,
  surcharges: [
    percent("fuel", 10),
    flat("oversize", money(1800, "EUR"), isOversize),
    flat("remote area", money(610, "EUR"), isRemote),
  ],
  days: [4, 8],
}

const endpoint = "https://api.oxcart.example/v4"

export function bodyOxcart(shipment: Shipment, reference: string): unknown {
  return {
    ref: reference,
    weight_g: shipment.weight,
    dims_mm: [shipment.size.length, shipment.size.width, shipment.size.height],
    sender: { name: shipment.from.name, zip: shipment.from.postcode, country: shipment.from.country },
    recipient: { name: shipment.to.name, zip: shipment.to.postcode, country: shipment.to.country },
    value_minor: shipment.insured?.minor ?? 0,
  }
}

export async function labelOxcart(shipment: Shipment, reference: string, credentials: Credentials): Promise<Result<Label>> {
  const answer = await request(`${endpoint}/labels`, credentials, bodyOxcart(shipment, reference))
  if (answer.status === 422) {
    return fail("PK2003", `Oxcart refuses the shipment: ${answer.text}`)
  }
  if (answer.status >= 500) {
    return fail("PK3001", `Oxcart answers ${answer.status}`, true)
  }
  return ok({ number: answer.json.parcel_number, document: answer.json.document, format: "pdf" })
}

export async function cancelOxcart(number: string, credentials: Credentials): Promise<Result<void>> {
  const answer = await request(`${endpoint}/labels/${number}/void`, credentials)
  if (answer.status === 404) {
    return fail("PK2207", `Oxcart does not know the parcel ${number}`)
  }
  return ok(undefined)
}
