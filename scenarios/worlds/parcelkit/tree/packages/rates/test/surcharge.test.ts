import { describe, expect, it } from "vitest"
import { applied, isOversize, percent } from "../src/surcharge.js"

describe("surcharge", () => {
  it("takes a percentage of the base", () => {
    expect(applied([percent("fuel", 10)], money(1000, "EUR"), shipment)[0]?.amount.minor).toBe(100)
  })

  it("tells oversize parcels", () => {
    expect(isOversize({ ...shipment, size: { length: 1300, width: 100, height: 100 } })).toBe(true)
  })
})
