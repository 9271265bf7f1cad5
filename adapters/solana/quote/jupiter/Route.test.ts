import { assert, describe, it } from "@effect/vitest"
import { address } from "@solana/kit"
import { Schema } from "effect"
import type { ShownAccount } from "../../rpc/Tokens.ts"
import { QuoteAnswer } from "./JupiterAnswers.ts"
import { hopsOf } from "./RouteHops.ts"
import { differenceOf } from "./RouteOutcome.ts"
import type { RouteTried, Tried } from "./RouteOutcome.ts"
import { limitsOf } from "../../../../src/domain/swap/SwapTail.ts"

const TOKEN_ACCOUNT_RENT = 1_488_440n

const system = address("11111111111111111111111111111111")
const program = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")

const wallet = (lamports: bigint, changes: Partial<ShownAccount> = {}): ShownAccount => ({
  lamports,
  owner: system,
  executable: false,
  data: new Uint8Array(),
  ...changes
})

const tokens = (
  amount: bigint,
  write: (data: Uint8Array) => void = () => {},
  lamports = TOKEN_ACCOUNT_RENT
): ShownAccount => {
  const data = new Uint8Array(165)
  new DataView(data.buffer).setBigUint64(64, amount, true)
  write(data)
  return { lamports, owner: program, executable: false, data }
}

/** 100 of one token for 50 of another, with a fee of 5,000 lamports and an account that is opened. */
const source: Tried = { address: "source", before: tokens(100n), after: tokens(0n) }
const destination: Tried = { address: "destination", before: undefined, after: tokens(50n) }
const asQuoted = {
  user: { address: "user", before: wallet(10_000_000n), after: wallet(10_000_000n - 5_000n - TOKEN_ACCOUNT_RENT) },
  own: [source, destination],
  destination,
  source: "source",
  systemProgram: system,
  wrapped: undefined,
  isForeign: false,
  destinationRent: TOKEN_ACCOUNT_RENT,
  most: 100n,
  least: 50n
} satisfies RouteTried

describe("the simulated result of a swap", () => {
  it("passes when it is as quoted, or better", () => {
    assert.isUndefined(differenceOf(asQuoted))
    assert.isUndefined(differenceOf({ ...asQuoted, most: 101n, least: 49n }))
  })

  it("is refused when it takes more, gives less, or transfers an account of the user's", () => {
    const wrong: Readonly<Record<string, Partial<RouteTried>>> = {
      "more of the source": { most: 99n },
      "less of the output": { least: 51n },
      "lamports": { user: { ...asQuoted.user, after: wallet(10_000_000n - 5_001n - TOKEN_ACCOUNT_RENT) } },
      "another token": { own: [source, destination, { address: "other", before: tokens(7n), after: tokens(6n) }] },
      "a delegate": { own: [{ ...source, after: tokens(0n, (data) => data.set([1], 72)) }, destination] },
      "an owner": { own: [{ ...source, after: tokens(0n, (data) => data.set([1], 32)) }, destination] },
      "an authority to close": { own: [{ ...source, after: tokens(0n, (data) => data.set([1], 129)) }, destination] },
      "the wallet": { user: { ...asQuoted.user, after: wallet(10_000_000n, { owner: program }) } }
    }
    for (const [name, change] of Object.entries(wrong)) assert.isString(differenceOf({ ...asQuoted, ...change }), name)
  })

  it("counts native currency in lamports, including unwrapped SOL", () => {
    const wrapped = tokens(500n, undefined, TOKEN_ACCOUNT_RENT + 500n)
    const native = {
      ...asQuoted,
      source: undefined,
      wrapped: "wrapped",
      most: 1_000n,
      own: [{ address: "wrapped", before: wrapped, after: undefined }, destination]
    }
    // The closed account pays for the opened one.
    const after = 10_000_000n - 5_000n - 1_000n + 500n
    assert.isUndefined(differenceOf({ ...native, user: { ...asQuoted.user, after: wallet(after) } }))
    assert.isString(differenceOf({ ...native, user: { ...asQuoted.user, after: wallet(after - 1n) } }))
  })
})

describe("the limits that an instruction enforces", () => {
  const data = (name: string, fee: number) =>
    Buffer.concat([
      Buffer.from(name, "hex"),
      Buffer.from([9, 9]),
      Buffer.from(BigUint64Array.of(1_000n, 333n).buffer),
      Buffer.from([50, 0, fee])
    ])
  it("are its last bytes, for the four instructions of the interface, without a fee", () => {
    assert.deepStrictEqual(limitsOf(data("e517cb977ae3ad2a", 0)), { exact: "in", most: 1_000n, least: 332n })
    assert.deepStrictEqual(limitsOf(data("d033ef977b2bed5c", 0)), { exact: "out", most: 335n, least: 1_000n })
    assert.isUndefined(limitsOf(data("e517cb977ae3ad2a", 1)))
    assert.isUndefined(limitsOf(data("e517cb977ae3ad2b", 0)))
  })
})

describe("the hops of a route", () => {
  const [a, b, c] = [system, program, "So11111111111111111111111111111111111111112"]
  const plan = (...pairs: ReadonlyArray<readonly [string, string]>) =>
    Schema.decodeUnknownSync(QuoteAnswer)({
      inputMint: a,
      inAmount: "1",
      outputMint: c,
      outAmount: "1",
      otherAmountThreshold: "1",
      swapMode: "ExactIn",
      slippageBps: 0,
      routePlan: pairs.map(([inputMint, outputMint]) => ({ swapInfo: { inputMint, outputMint }, percent: 50 }))
    })
  it("are those of its longest path; none for a plan that does not arrive, or has a cycle", () => {
    assert.strictEqual(hopsOf(plan([a, c])), 1)
    assert.strictEqual(hopsOf(plan([a, c], [a, b], [b, c])), 2)
    assert.isUndefined(hopsOf(plan([a, b])))
    assert.isUndefined(hopsOf(plan([a, b], [b, a])))
  })
})
