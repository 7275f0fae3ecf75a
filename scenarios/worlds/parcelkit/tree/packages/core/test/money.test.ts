import { describe, expect, it } from "vitest"
import { add, money, parse, roundHalfEven, scale } from "../src/money.js"

describe("money", () => {
  it("adds amounts of one currency", () => {
    expect(add(money(150, "EUR"), money(275, "EUR"))).toEqual(money(425, "EUR"))
  })

  it("refuses two currencies", () => {
    expect(() => add(money(1, "EUR"), money(1, "USD"))).toThrow("EUR and USD")
  })

  it("rounds halves to even", () => {
    expect(roundHalfEven(2.5)).toBe(2)
    expect(roundHalfEven(3.5)).toBe(4)
  })

  it("scales and rounds", () => {
    expect(scale(money(1005, "EUR"), 0.5)).toEqual(money(502, "EUR"))
  })

  it("parses decimals", () => {
    expect(parse("12.5", "EUR")).toEqual(money(1250, "EUR"))
  })
})
