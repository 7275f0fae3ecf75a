import { describe, expect, it } from "vitest"
import { delay, isNetworkError } from "../src/retry.js"

describe("retry", () => {
  it("does not wait before the first attempt", () => {
    expect(delay(1)).toBe(0)
  })

  it("doubles", () => {
    expect(delay(3, undefined, () => 0.5)).toBe(400)
  })

  it("knows errors of the network", () => {
    expect(isNetworkError({ code: "ETIMEDOUT" })).toBe(true)
  })
})
