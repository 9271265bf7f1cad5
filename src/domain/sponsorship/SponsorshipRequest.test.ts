/**
 * How a request spells its sponsorship, and what is refused: components, selection, cap, admission (REQUEST-4,
 * SPONSOR-2, SPONSOR-3, SPONSOR-7).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import type { QuoteRefused } from "../quote/QuoteError.ts"
import { admitSponsor, type SponsorFacts } from "./AdmitSponsor.ts"
import { effectiveCap } from "./Cap.ts"
import { componentName, isServiceName, parseComponent } from "./Component.ts"
import { selectComponents, type SponsorshipWish } from "./Selection.ts"

const refusal = <A>(result: Result.Result<A, QuoteRefused>) =>
  Result.match(result, {
    onFailure: ({ code, field, message }) => ({ code, field, message }),
    onSuccess: () => undefined
  })

describe("components", () => {
  it("the service has four spellings, the others one", () => {
    for (const text of ["service", "the service", "relay", "causeway"]) {
      assert.strictEqual(Result.getOrThrow(parseComponent(text, "causeway")), "service")
    }
    for (const text of ["execution", "swap", "app", "rent"]) {
      assert.strictEqual(Result.getOrThrow(parseComponent(text, "causeway")), text)
    }
  })

  it("anything else is refused, and the message lists the allowed values", () => {
    for (const text of ["", "Service", " rent", "gas", "causeway2"]) {
      const found = refusal(parseComponent(text, "causeway"))
      assert.deepStrictEqual([found?.code, found?.field], ["INVALID_REQUEST", "sponsoredFeeComponents"])
      assert.include(found?.message, "execution, swap, causeway, app, rent")
    }
  })

  it("answers use the configured name, which must not be another component's", () => {
    assert.deepStrictEqual([componentName("service", "relay"), componentName("rent", "relay")], ["relay", "rent"])
    assert.deepStrictEqual(["service", "relay", "swap", "rent", ""].map(isServiceName), [
      true,
      true,
      false,
      false,
      false
    ])
  })
})

describe("selection", () => {
  const wish: SponsorshipWish = {
    subsidizeFees: true,
    sponsoredFeeComponents: undefined,
    maxSubsidizationAmount: undefined,
    subsidizeRent: false,
    useDepositAddress: false
  }
  const off = { ...wish, subsidizeFees: false }
  const selection = (of: SponsorshipWish) => Result.getOrThrow(selectComponents(of))

  it("without a list: execution, swap, service, app; rent only when asked for", () => {
    assert.deepStrictEqual(selection(wish), { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] })
    assert.deepStrictEqual(selection({ ...wish, subsidizeRent: true }), {
      _tag: "Defaulted",
      components: ["execution", "swap", "service", "app", "rent"]
    })
  })

  it("a list is kept, each once and in order; subsidizeRent adds rent", () => {
    const listed: SponsorshipWish = {
      ...wish,
      sponsoredFeeComponents: ["app", "swap", "app"],
      maxSubsidizationAmount: 1n
    }
    assert.deepStrictEqual(selection(listed), { _tag: "Listed", components: ["swap", "app"] })
    assert.deepStrictEqual(selection({ ...listed, subsidizeRent: true }), {
      _tag: "Listed",
      components: ["swap", "app", "rent"]
    })
  })

  it("off without subsidizeFees; subsidizeRent alone sponsors nothing", () => {
    assert.deepStrictEqual(selection(off), { _tag: "Off" })
    assert.deepStrictEqual(selection({ ...off, subsidizeRent: true }), { _tag: "Off" })
  })

  it("refused: an empty list, a list or a cap without subsidizeFees, a list at a deposit address", () => {
    const refused = (of: SponsorshipWish) => refusal(selectComponents(of))
    const empty = refused({ ...wish, sponsoredFeeComponents: [] })
    const listOff = refused({ ...off, sponsoredFeeComponents: ["app"] })
    const capOff = refused({ ...off, maxSubsidizationAmount: 0n })
    const address = refused({ ...wish, sponsoredFeeComponents: ["app"], useDepositAddress: true })
    assert.isTrue([empty, listOff, capOff, address].every((each) => each?.code === "INVALID_REQUEST"))
    assert.deepStrictEqual(
      [empty, listOff, capOff, address].map((each) => each?.field),
      ["sponsoredFeeComponents", "sponsoredFeeComponents", "maxSubsidizationAmount", "sponsoredFeeComponents"]
    )
    assert.include(empty?.message, "at least one")
    assert.include(listOff?.message, "sponsoredFeeComponents requires subsidizeFees")
    assert.include(capOff?.message, "maxSubsidizationAmount requires subsidizeFees")
    assert.include(address?.message, "useDepositAddress")
  })

  it("at a deposit address the defaults and rent may still be sponsored", () => {
    assert.strictEqual(selection({ ...wish, useDepositAddress: true, subsidizeRent: true })._tag, "Defaulted")
  })
})

it("no cap in the request means the key's default cap", () => {
  assert.strictEqual(effectiveCap(undefined, MicroUsdc(3n)), 3n)
  assert.strictEqual(effectiveCap(MicroUsdc(0n), MicroUsdc(3n)), 0n)
  assert.strictEqual(effectiveCap(undefined, undefined), undefined)
})

describe("admission", () => {
  const wallet = Result.getOrThrow(ethereumAddresses.parse("0x00000000000000000000000000000000000000aa"))
  const key: SponsorFacts = { _tag: "Key", wallet, available: MicroUsdc(100n), budgetLeft: MicroUsdc(50n) }
  const admitted = (facts: SponsorFacts, draw: bigint) => admitSponsor(facts, MicroUsdc(draw))

  it("the wallet pays up to its balance and budget, to the last unit", () => {
    assert.strictEqual(Result.getOrThrow(admitted(key, 50n)), wallet)
    assert.strictEqual(Result.getOrThrow(admitted({ ...key, budgetLeft: undefined }, 100n)), wallet)
    assert.strictEqual(
      Result.getOrThrow(admitted({ ...key, available: MicroUsdc(0n), budgetLeft: MicroUsdc(0n) }, 0n)),
      wallet
    )
  })

  it("otherwise the refusal says which of them is too small", () => {
    const codes = [
      admitted({ _tag: "NoKey" }, 0n),
      admitted({ ...key, wallet: undefined }, 0n),
      admitted(key, 101n),
      admitted(key, 51n)
    ].map(refusal)
    assert.deepStrictEqual(
      codes.map((found) => found?.code),
      ["UNAUTHORIZED", "SPONSOR_WALLET_NOT_LINKED", "INSUFFICIENT_APP_BALANCE", "SPONSOR_BUDGET_EXCEEDED"]
    )
    assert.isTrue(codes.every((found) => found?.field === "subsidizeFees" && found.message !== ""))
    assert.include(codes[2]?.message, "100 micro-USDC available and this request draws 101")
    assert.include(codes[3]?.message, "50 micro-USDC left and this request draws 51")
  })
})
