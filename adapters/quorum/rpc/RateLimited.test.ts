/** Refusals in the words of nodes and providers (their documents and issues of 2023 to 2026). */
import { assert, describe, it } from "@effect/vitest"
import { isRateLimited } from "./RateLimited.ts"

const limits: ReadonlyArray<readonly [number, string]> = [
  [
    429,
    "Your app has exceeded its compute units per second capacity. If you have retries enabled, ignore this message"
  ],
  [429, "a text of its own"],
  [-32_012, "credits limited to 6000/sec"],
  [-32_007, "50/second request limit reached - reduce calls per second or upgrade your account"],
  [-32_005, "daily request count exceeded, request rate limited"],
  [-32_005, "You've exceeded the RPS limit available on the current plan."],
  [-32_600, "Monthly capacity limit exceeded. Visit the dashboard to upgrade your scaling policy"],
  [-32_001, "You've reached the usage limit for your current plan."],
  [-32_029, "Too Many Requests"],
  [-32_000, "class java.lang.IllegalAccessException : lack of computing resources"],
  [-32_000, "Exceed the user daily usage (100000), the maximum query frequency is 1 time per second"]
]

/** The question is too large, or of something that the node does not have: asked in a smaller form, it may be answered. */
const refusals: ReadonlyArray<readonly [number, string]> = [
  [-32_005, "query returned more than 10000 results. Try with this block range [0x1, 0x2]."],
  [-32_005, "limit exceeded"],
  [-32_602, "range 1000000 exceeds limit of 10000"],
  [-32_602, "query exceeds max results 20000, retry with the range 1-2"],
  [-32_602, "exceed max block range: 5000"],
  [-32_614, "eth_getLogs is limited to a 10,000 range"],
  [-32_000, "query block range exceeds server limit, narrow your filter: 1000"],
  [-32_000, "query returns too many logs, narrow your filter: 20000"],
  [-32_600, "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range."],
  [35, "ranges over 10000 blocks are not supported on freetier"],
  [-32_602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range"],
  [-32_000, "Block range limit exceeded."],
  [-32_003, "Response exceeds the limit of 26214400 bytes"],
  [4_444, "pruned history unavailable"],
  [-32_601, "the method eth_getBlockReceipts does not exist"],
  [-32_000, "gas limit is too high"],
  [3, "execution reverted: exceeds the daily limit"]
]

describe("the refusal of a node", () => {
  it("is a limit of requests by its code, or by the words of providers", () => {
    for (const [code, message] of limits) assert.isTrue(isRateLimited({ code, message }), message)
    // As nodes of Tron say it.
    assert.isTrue(isRateLimited({ code: -32_005, message: "lack of computing resources", data: "{}" }))
  })

  it("is not one in the words of a contract that has reverted", () => {
    const message = "rate limit: too many requests per second"
    for (
      const error of [
        { code: 3, message, data: "0x08c379a0" },
        { code: 3, message },
        { code: -32_000, message: `execution reverted: ${message}` },
        { code: -32_015, message: "VM execution error.", data: `Reverted ${message}` },
        { code: -32_000, message: `VM Exception while processing transaction: ${message}` }
      ]
    ) assert.isFalse(isRateLimited(error), JSON.stringify(error))
  })

  it("is not one where it concerns the question", () => {
    for (const [code, message] of refusals) assert.isFalse(isRateLimited({ code, message }), message)
    for (const other of [undefined, null, "rate limit", {}, { code: 429 }]) assert.isFalse(isRateLimited(other))
  })
})
