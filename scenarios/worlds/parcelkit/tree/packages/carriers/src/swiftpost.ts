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
    { upTo: grams(500), prices: { 1: 890, 2: 1139, 3: 1388, 4: 1637, 5: 1886 } },
    { upTo: grams(1000), prices: { 1: 991, 2: 1268, 3: 1545, 4: 1823, 5: 2100 } },
    { upTo: grams(2000), prices: { 1: 1092, 2: 1397, 3: 1703, 4: 2009, 5: 2315 } },
    { upTo: grams(3000), prices: { 1: 1193, 2: 1527, 3: 1861, 4: 2195, 5: 2529 } },
    { upTo: grams(5000), prices: { 1: 1294, 2: 1656, 3: 2018, 4: 2380, 5: 2743 } },
    { upTo: grams(10000), prices: { 1: 1395, 2: 1785, 3: 2176, 4: 2566, 5: 2957 } },
    { upTo: grams(15000), prices: { 1: 1496, 2: 1914, 3: 2333, 4: 2752, 5: 3171 } },
    { upTo: grams(20000), prices: { 1: 1597, 2: 2044, 3: 2491, 4: 2938, 5: 3385 } },
    { upTo: grams(25000), prices: { 1: 1698, 2: 2173, 3: 2648, 4: 3124, 5: 3599 } },
    { upTo: grams(31500), prices: { 1: 1799, 2: 2302, 3: 2806, 4: 3310, 5: 3813 } },
  ],
}

/** Swiftpost, parcels of up to 31.5 kg. */
export const swiftpost: Service = {
  carrier: "swiftpost",
  table,
  divisor: 6000,
  surcharges: [
    percent("fuel", 5.5),
    flat("oversize", money(1350, "EUR"), isOversize),
    flat("remote area", money(490, "EUR"), isRemote),
  ],
  days: [1, 2],
}

const endpoint = "https://api.swiftpost.example/v1"

export function bodySwiftpost(shipment: Shipment, reference: string): unknown {
  return {
    ref: reference,
    weight_g: shipment.weight,
    dims_mm: [shipment.size.length, shipment.size.width, shipment.size.height],
    sender: { name: shipment.from.name, zip: shipment.from.postcode, country: shipment.from.country },
    recipient: { name: shipment.to.name, zip: shipment.to.postcode, country: shipment.to.country },
    value_minor: shipment.insured?.minor ?? 0,
  }
}

export async function labelSwiftpost(shipment: Shipment, reference: string, credentials: Credentials): Promise<Result<Label>> {
  const answer = await request(`${endpoint}/labels`, credentials, bodySwiftpost(shipment, reference))
  if (answer.status === 422) {
    return fail("PK2003", `Swiftpost refuses the shipment: ${answer.text}`)
  }
  if (answer.status >= 500) {
    return fail("PK3001", `Swiftpost answers ${answer.status}`, true)
  }
  return ok({ number: answer.json.parcel_number, document: answer.json.document, format: "pdf" })
}

export async function cancelSwiftpost(number: string, credentials: Credentials): Promise<Result<void>> {
  const answer = await request(`${endpoint}/labels/${number}/void`, credentials)
  if (answer.status === 404) {
    return fail("PK2207", `Swiftpost does not know the parcel ${number}`)
  }
  return ok(undefined)
}
