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
    { upTo: grams(500), prices: { 1: 1490, 2: 1907, 3: 2324, 4: 2741, 5: 3158 } },
    { upTo: grams(1000), prices: { 1: 1602, 2: 2050, 3: 2499, 4: 2947, 5: 3396 } },
    { upTo: grams(2000), prices: { 1: 1714, 2: 2193, 3: 2673, 4: 3153, 5: 3633 } },
    { upTo: grams(3000), prices: { 1: 1826, 2: 2337, 3: 2848, 4: 3359, 5: 3871 } },
    { upTo: grams(5000), prices: { 1: 1938, 2: 2480, 3: 3023, 4: 3565, 5: 4108 } },
    { upTo: grams(10000), prices: { 1: 2050, 2: 2624, 3: 3198, 4: 3772, 5: 4346 } },
    { upTo: grams(15000), prices: { 1: 2162, 2: 2767, 3: 3372, 4: 3978, 5: 4583 } },
    { upTo: grams(20000), prices: { 1: 2274, 2: 2910, 3: 3547, 4: 4184, 5: 4820 } },
    { upTo: grams(25000), prices: { 1: 2386, 2: 3054, 3: 3722, 4: 4390, 5: 5058 } },
    { upTo: grams(31500), prices: { 1: 2498, 2: 3197, 3: 3896, 4: 4596, 5: 5295 } },
  ],
}

/** Brightwing Air, parcels of up to 31.5 kg. */
export const brightwing: Service = {
  carrier: "brightwing",
  table,
  divisor: 5000,
  surcharges: [
    percent("fuel", 7),
    flat("oversize", money(1500, "EUR"), isOversize),
    flat("remote area", money(530, "EUR"), isRemote),
  ],
  days: [1, 1],
}

const endpoint = "https://api.brightwing.example/v2"

export function bodyBrightwing(shipment: Shipment, reference: string): unknown {
  return {
    ref: reference,
    weight_g: shipment.weight,
    dims_mm: [shipment.size.length, shipment.size.width, shipment.size.height],
    sender: { name: shipment.from.name, zip: shipment.from.postcode, country: shipment.from.country },
    recipient: { name: shipment.to.name, zip: shipment.to.postcode, country: shipment.to.country },
    value_minor: shipment.insured?.minor ?? 0,
  }
}

export async function labelBrightwing(shipment: Shipment, reference: string, credentials: Credentials): Promise<Result<Label>> {
  const answer = await request(`${endpoint}/labels`, credentials, bodyBrightwing(shipment, reference))
  if (answer.status === 422) {
    return fail("PK2003", `Brightwing Air refuses the shipment: ${answer.text}`)
  }
  if (answer.status >= 500) {
    return fail("PK3001", `Brightwing Air answers ${answer.status}`, true)
  }
  return ok({ number: answer.json.parcel_number, document: answer.json.document, format: "pdf" })
}

export async function cancelBrightwing(number: string, credentials: Credentials): Promise<Result<void>> {
  const answer = await request(`${endpoint}/labels/${number}/void`, credentials)
  if (answer.status === 404) {
    return fail("PK2207", `Brightwing Air does not know the parcel ${number}`)
  }
  return ok(undefined)
}
