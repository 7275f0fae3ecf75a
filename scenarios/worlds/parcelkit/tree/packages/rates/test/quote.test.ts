import { describe, expect, it } from "vitest"
import { cheapest, fastest, quote } from "../src/quote.js"

describe("quote", () => {
  it("puts the cheapest first", () => {
    const offers = quote(services, shipment)
    expect(cheapest(offers)?.carrier).toBe("oxcart")
  })

  it("finds the fastest", () => {
    expect(fastest(quote(services, shipment))?.carrier).toBe("brightwing")
  })

  it("leaves out what is too heavy", () => {
    expect(quote(services, { ...shipment, weight: grams(40_000) })).toEqual([])
  })
})
