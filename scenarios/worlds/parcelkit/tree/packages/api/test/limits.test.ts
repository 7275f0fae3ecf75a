import { describe, expect, it } from "vitest"
import { Limiter } from "../src/limits.js"

describe("limits", () => {
  it("lets a burst through", () => {
    const limiter = new Limiter(60, 2, () => 0)
    expect([limiter.take("a"), limiter.take("a"), limiter.take("a")]).toEqual([true, true, false])
  })

  it("says when to come back", () => {
    const limiter = new Limiter(60, 1, () => 0)
    limiter.take("a")
    expect(limiter.retryAfter("a")).toBe(1)
  })
})
