import { describe, expect, it } from "vitest"
import { current, distinct, sorted } from "../src/events.js"

describe("events", () => {
  it("sorts by time", () => {
    expect(sorted([later, earlier])).toEqual([earlier, later])
  })

  it("drops what is said twice", () => {
    expect(distinct([earlier, earlier])).toEqual([earlier])
  })

  it("knows where a parcel is", () => {
    expect(current([later, earlier])).toBe("delivered")
  })
})
