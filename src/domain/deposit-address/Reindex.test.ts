/** Who may reindex, in the order of the refusals, and what a reindex does with what it read (spec/3 §7, spec/1 §4.1). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { ethereumAddresses } from "../chain/address/Ethereum.ts"
import { ChainId } from "../chain/ChainId.ts"
import type { Currency } from "../money/Currency.ts"
import { Usd, UsdPrice } from "../money/Usd.ts"
import { type AddressRecord, admitReindex, type ReindexFacts } from "./AdmitReindex.ts"
import { type CurrencyFacts, isWorthSweeping, planReindex, type Sweeps } from "./PlanReindex.ts"

const home = ChainId.make(1)
const away = { chainId: ChainId.make(10), family: "ethereum-vm" } as const
const record: AddressRecord = { mode: "open", chainId: home, family: "ethereum-vm", keyId: "mine" }
const facts: ReindexFacts = {
  target: { chainId: home, family: "ethereum-vm" },
  currency: "all",
  record,
  callerKeyId: "mine",
  lastAt: undefined,
  now: 1_000_000
}

describe("admission", () => {
  const admitted = (change: Partial<ReindexFacts>) => admitReindex({ ...facts, ...change })
  const refusal = (change: Partial<ReindexFacts>) =>
    Result.match(admitted(change), { onFailure: ({ message, status }) => `${status} ${message}`, onSuccess: () => "admitted" })

  it("gives the record and the chain to look on", () => {
    assert.deepStrictEqual(Result.getOrThrow(admitted({})), { record, chainId: home })
    assert.deepStrictEqual(Result.getOrThrow(admitted({ target: away, currency: "depositable" })).chainId, away.chainId)
  })

  it("400: no such chain, no such currency, another kind of chain, a strict address elsewhere", () => {
    assert.match(refusal({ target: undefined }), /^400 targetChainId is not/)
    assert.match(refusal({ currency: "unknown" }), /^400 currency/)
    assert.match(refusal({ target: { ...away, family: "tron-vm" } }), /^400 targetChainId must/)
    assert.match(refusal({ target: away, record: { ...record, mode: "strict" } }), /^400 a strict/)
    assert.strictEqual(refusal({ record: { ...record, mode: "strict" } }), "admitted")
  })

  it("404 unknown, 403 another key or none; an address without a key is anybody's", () => {
    assert.match(refusal({ record: undefined }), /^404 no deposit address/)
    assert.match(refusal({ callerKeyId: "theirs" }), /^403 /)
    assert.match(refusal({ callerKeyId: undefined }), /^403 this/)
    assert.strictEqual(refusal({ callerKeyId: undefined, record: { ...record, keyId: undefined } }), "admitted")
  })

  it("429 within 60 seconds, with the seconds that are left", () => {
    const early = admitted({ lastAt: facts.now - 58_500 })
    assert.deepStrictEqual(Result.isFailure(early) ? [early.failure.status, early.failure.retryAfterSeconds] : [], [429, 2])
    assert.match(refusal({ lastAt: facts.now - 59_999 }), /^429 this.* 60 seconds/)
    assert.strictEqual(refusal({ lastAt: facts.now - 60_000 }), "admitted")
  })

  it("the first refusal in the order 400, 404, 403, 429 is the one that is given", () => {
    const all = { target: away, callerKeyId: "theirs", lastAt: facts.now, record: { ...record, mode: "strict" as const } }
    assert.match(refusal({ ...all, record: undefined, currency: "unknown" }), /^400/)
    assert.match(refusal({ ...all, record: undefined }), /^404/)
    assert.match(refusal(all), /^400 a strict/)
    assert.match(refusal({ ...all, record }), /^403/)
  })
})

const currency: Currency = { chainId: home, address: ethereumAddresses.nativeCurrency, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }
const idle: Sweeps = { queued: "none", completed: 3, lastHeight: undefined }
/** At $1 for 1e18 units, a unit is worth what one of Usd's 18 digits is. */
const base: CurrencyFacts = {
  currency,
  reading: { _tag: "Read", units: 100n, height: 50n },
  sweeps: idle,
  sweepGas: Usd(50n),
  price: UsdPrice(10n ** 36n)
}
const read = (units: bigint, change: Partial<CurrencyFacts> = {}): CurrencyFacts => ({ ...base, reading: { _tag: "Read", units, height: 50n }, ...change })
const plan = (...of: ReadonlyArray<CurrencyFacts>) => Result.getOrThrow(planReindex(of))

describe("the plan", () => {
  it("queues what is worth twice its gas, lists what is not, passes over nothing", () => {
    const found = plan(read(100n), read(99n), read(0n), { ...base, reading: { _tag: "Unread" } })
    assert.deepStrictEqual(found.triggered.map(({ units }) => units), [100n, 99n])
    assert.deepStrictEqual(found.queue, [{ currency, units: 100n, number: 3 }])
    assert.deepStrictEqual(found.waiting, [{ currency, units: 99n }])
    assert.deepStrictEqual([found.checkedCurrencies, found.failedCurrencies], [3, 1])
  })

  it("a currency without a price waits", () => {
    assert.isFalse(isWorthSweeping(10n ** 30n, read(0n, { price: undefined })))
    assert.strictEqual(plan(read(10n ** 30n, { price: undefined })).waiting.length, 1)
  })

  it("while a sweep is queued no other is, and the balance is still answered", () => {
    const found = plan(read(100n, { sweeps: { ...idle, queued: "one" } }))
    assert.deepStrictEqual([found.triggered.length, found.queue.length, found.waiting.length], [1, 0, 0])
  })

  it("a balance read no later than the last sweep says nothing", () => {
    const stale = read(100n, { sweeps: { ...idle, lastHeight: 50n } })
    const found = plan(stale, read(0n))
    assert.deepStrictEqual([found.triggered.length, found.queue.length, found.failedCurrencies], [0, 0, 1])
    assert.strictEqual(plan(read(100n, { sweeps: { ...idle, lastHeight: 49n } })).queue.length, 1)
  })

  it("503 when nothing could be read", () => {
    const failed = planReindex([{ ...base, reading: { _tag: "Unread" } }])
    assert.deepStrictEqual(Result.isFailure(failed) ? [failed.failure.status, failed.failure.message] : [], [503, "no balance could be read: try again"])
  })
})
