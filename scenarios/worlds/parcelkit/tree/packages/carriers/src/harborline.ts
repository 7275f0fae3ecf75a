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
    { upTo: grams(500), prices: { 1: 590, 2: 755, 3: 920, 4: 1085, 5: 1250 } },
    { upTo: grams(1000), prices: { 1: 713, 2: 912, 3: 1112, 4: 1311, 5: 1511 } },
    { upTo: grams(2000), prices: { 1: 836, 2: 1070, 3: 1304, 4: 1538, 5: 1772 } },
    { upTo: grams(3000), prices: { 1: 959, 2: 1227, 3: 1496, 4: 1764, 5: 2033 } },
    { upTo: grams(5000), prices: { 1: 1082, 2: 1384, 3: 1687, 4: 1990, 5: 2293 } },
    { upTo: grams(10000), prices: { 1: 1205, 2: 1542, 3: 1879, 4: 2217, 5: 2554 } },
    { upTo: grams(15000), prices: { 1: 1328, 2: 1699, 3: 2071, 4: 2443, 5: 2815 } },
    { upTo: grams(20000), prices: { 1: 1451, 2: 1857, 3: 2263, 4: 2669, 5: 3076 } },
    { upTo: grams(25000), prices: { 1: 1574, 2: 2014, 3: 2455, 4: 2896, 5: 3336 } },
    { upTo: grams(31500), prices: { 1: 1697, 2: 2172, 3: 2647, 4: 3122, 5: 3597 } },
  ],
}

/** Harborline, parcels of up to 31.5 kg. */
export const harborline: Service = {
  carrier: "harborline",
  table,
  divisor: 5000,
  surcharges: [
    percent("fuel", 8.5),
    flat("oversize", money(1650, "EUR"), isOversize),
    flat("remote area", money(570, "EUR"), isRemote),
  ],
  days: [2, 4],
}

const endpoint = "https://api.harborline.example/v3"

export function bodyHarborline(shipment: Shipment, reference: string): unknown {
  return {
    ref: reference,
    weight_g: shipment.weight,
    dims_mm: [shipment.size.length, shipment.size.width, shipment.size.height],
    sender: { name: shipment.from.name, zip: shipment.from.postcode, country: shipment.from.country },
    recipient: { name: shipment.to.name, zip: shipment.to.postcode, country: shipment.to.country },
    value_minor: shipment.insured?.minor ?? 0,
  }
}

export async function labelHarborline(shipment: Shipment, reference: string, credentials: Credentials): Promise<Result<Label>> {
  const answer = await request(`${endpoint}/labels`, credentials, bodyHarborline(shipment, reference))
  if (answer.status === 422) {
    return fail("PK2003", `Harborline refuses the shipment: ${answer.text}`)
  }
  if (answer.status >= 500) {
    return fail("PK3001", `Harborline answers ${answer.status}`, true)
  }
  return ok({ number: answer.json.parcel_number, document: answer.json.document, format: "pdf" })
}

export async function cancelHarborline(number: string, credentials: Credentials): Promise<Result<void>> {
  const answer = await request(`${endpoint}/labels/${number}/void`, credentials)
  if (answer.status === 404) {
    return fail("PK2207", `Harborline does not know the parcel ${number}`)
  }
  return ok(undefined)
}
