import { describe, expect, it } from "vitest"
import { split, wrap } from "../src/layout.js"

describe("layout", () => {
  it("wraps at spaces", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
  })

  it("breaks long words", () => {
    expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"])
  })

  it("splits by shares", () => {
    expect(split({ x: 0, y: 0, width: 10, height: 90 }, 1, 2).map((b) => b.height)).toEqual([30, 60])
  })
})
