import { describe, expect, it } from "vitest"
import { needsCustoms, remote, zoneOf } from "../src/zone.js"

describe("zone", () => {
  it("is 1 within a country", () => {
    expect(zoneOf(address("DE", "10115"), address("DE", "80331"))).toBe(1)
  })

  it("knows islands", () => {
    expect(remote(address("ES", "07001"))).toBe(true)
  })

  it("asks for customs beyond the union", () => {
    expect(needsCustoms(address("DE", "10115"), address("CH", "8001"))).toBe(true)
  })
})
