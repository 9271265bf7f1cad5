/** Who may reindex, in the order of the refusals, and what a reindex does with the balances it read (REINDEX-1). */
import { families } from "../../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { ethereumAddresses } from "../../families/ethereum/EthereumAddresses.ts"
import { Address } from "../../chain/Address.ts"
import type { Chain } from "../../chain/Chain.ts"
import { ChainId } from "../../chain/ChainId.ts"
import type { Currency } from "../../money/Currency.ts"
import { Usd, UsdPrice } from "../../money/Usd.ts"
import {
  type AddressRecord,
  admitReindex,
  type AskedReindex,
  checkReindex,
  type ReindexFacts,
  type ReindexRefused
} from "./AdmitReindex.ts"
import { type CurrencyFacts, isWorthSweeping, planReindex, type ReindexPlan, type Sweeps } from "./PlanReindex.ts"

const home = ChainId.make(1)
const away = ChainId.make(10)
const currency: Currency = {
  chainId: home,
  address: ethereumAddresses.nativeCurrency,
  symbol: "ETH",
  name: "Ether",
  decimals: 18,
  isNative: true
}
const record: AddressRecord = { mode: "open", chainId: home, apiKeyId: "mine" }
const facts: ReindexFacts<AddressRecord> = {
  targetChainId: home,
  record,
  caller: { _tag: "Known", keyId: "mine" },
  lastAt: undefined,
  now: 1_000_000
}

type Target = Pick<Chain, "family" | "name" | "depositAddresses">
const target: Target = {
  family: families["ethereum-vm"],
  name: "Beta",
  depositAddresses: { factory: Address.make(ethereumAddresses.nativeCurrency) }
}
const asked: AskedReindex<Target> = { home: { family: families["ethereum-vm"] }, target, currencies: [] }

const said = <A>(result: Result.Result<A, ReindexRefused>) =>
  Result.match(result, { onFailure: ({ message, status }) => `${status} ${message}`, onSuccess: () => "admitted" })

describe("the request", () => {
  const refusal = (change: Partial<AskedReindex<Target>>) => said(checkReindex({ ...asked, ...change }))

  it("names the chain and the currencies to search", () => {
    assert.deepStrictEqual(Result.getOrThrow(checkReindex({ ...asked, currencies: [currency] })), {
      target,
      currencies: [currency]
    })
  })

  it("400: no such chain, another kind of chain, one without deposit addresses, no such currency", () => {
    assert.match(refusal({ target: undefined }), /^400 targetChainId is not/)
    assert.match(refusal({ target: { ...target, family: families["tron-vm"] } }), /^400 targetChainId must/)
    assert.match(
      refusal({ target: { family: families["ethereum-vm"], name: "Gamma" } }),
      /^400 Gamma has no deposit addresses/
    )
    assert.match(refusal({ currencies: undefined }), /^400 currency/)
  })
})

describe("admission", () => {
  const admitted = (change: Partial<ReindexFacts<AddressRecord>>) => admitReindex({ ...facts, ...change })
  const refusal = (change: Partial<ReindexFacts<AddressRecord>>) => said(admitted(change))
  const callerOf = (keyId: string | undefined) => ({ caller: { _tag: "Known", keyId } }) as const
  const nobodys = { caller: { _tag: "Refused", status: 403, message: "unknown key" } } as const

  it("returns the record", () => {
    assert.deepStrictEqual(Result.getOrThrow(admitted({})), record)
    assert.deepStrictEqual(Result.getOrThrow(admitted({ targetChainId: away })), record)
  })

  it("404 unknown; 400 a strict address elsewhere", () => {
    assert.match(refusal({ record: undefined }), /^404 no deposit address/)
    assert.match(refusal({ targetChainId: away, record: { ...record, mode: "strict" } }), /^400 a strict/)
    assert.strictEqual(refusal({ record: { ...record, mode: "strict" } }), "admitted")
  })

  it("403 for another key or none; anyone may reindex an address without a key, but not with an unknown key", () => {
    const free = { record: { ...record, apiKeyId: undefined } }
    assert.match(refusal(callerOf("theirs")), /^403 /)
    assert.match(refusal(callerOf(undefined)), /^403 this/)
    assert.strictEqual(refusal({ ...callerOf(undefined), ...free }), "admitted")
    assert.strictEqual(refusal({ ...nobodys, ...free }), "403 unknown key")
    assert.strictEqual(
      refusal({ caller: { _tag: "Refused", status: 503, message: "no store" }, ...free }),
      "503 no store"
    )
  })

  it("429 within 60 seconds, with the remaining seconds", () => {
    const early = admitted({ lastAt: facts.now - 58_500 })
    assert.deepStrictEqual(Result.isFailure(early) ? [early.failure.status, early.failure.retryAfterSeconds] : [], [
      429,
      2
    ])
    assert.match(refusal({ lastAt: facts.now - 59_999 }), /^429 this.* 60 seconds/)
    assert.strictEqual(refusal({ lastAt: facts.now - 60_000 }), "admitted")
  })

  it("of several refusals the first in the order 404, 400 for a strict address, 403, 429 is returned", () => {
    for (const caller of [callerOf("theirs"), nobodys]) {
      const all = { targetChainId: away, ...caller, lastAt: facts.now, record: { ...record, mode: "strict" as const } }
      assert.match(refusal({ ...all, record: undefined }), /^404/)
      assert.match(refusal(all), /^400 a strict/)
      assert.match(refusal({ ...all, record }), /^403/)
    }
  })
})

const idle: Sweeps = { queued: "none", unfinal: "none", completed: 3, lastHeight: undefined }
/** At $1 for 1e18 units, one unit is worth one of Usd's 1e-18 dollars. */
const base: CurrencyFacts = {
  currency,
  reading: { _tag: "Read", units: 100n, height: 50n },
  sweeps: idle,
  sweepGas: Usd(50n),
  price: UsdPrice(10n ** 36n)
}
const read = (units: bigint, change: Partial<CurrencyFacts> = {}): CurrencyFacts => ({
  ...base,
  reading: { _tag: "Read", units, height: 50n },
  ...change
})
const plan = (...of: ReadonlyArray<CurrencyFacts>) => Result.getOrThrow(planReindex(of))

describe("the plan", () => {
  it("queues balances worth twice their gas, lists the others, and skips none", () => {
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

  it("while a sweep is queued no other is, and it counts as begun whether its money still shows or not", () => {
    for (const [units, shown] of [[100n, 1], [0n, 0]] as const) {
      const found = plan(read(units, { sweeps: { ...idle, queued: "one" } }), read(0n))
      const { begunCurrencies, queue, triggered, waiting } = found
      assert.deepStrictEqual([triggered.length, queue.length, waiting.length, begunCurrencies], [shown, 0, 0, 1])
    }
    assert.strictEqual(plan(read(100n), read(0n)).begunCurrencies, 0)
  })

  it("a balance read no later than the last sweep counts as checked, and nothing is concluded from it", () => {
    const counts = (
      { checkedCurrencies, failedCurrencies, outdatedCurrencies, queue, triggered, waiting }: ReindexPlan
    ) => [triggered.length, queue.length, waiting.length, checkedCurrencies, outdatedCurrencies, failedCurrencies]
    for (const lastHeight of [50n, 51n]) {
      const stale = read(100n, { sweeps: { ...idle, lastHeight } })
      assert.deepStrictEqual(counts(plan(stale)), [0, 0, 0, 1, 1, 0])
      assert.deepStrictEqual(counts(plan(stale, read(0n), { ...base, reading: { _tag: "Unread" } })), [
        0,
        0,
        0,
        2,
        1,
        1
      ])
    }
    assert.deepStrictEqual(counts(plan(read(100n, { sweeps: { ...idle, lastHeight: 49n } }))), [1, 1, 0, 1, 0, 0])
  })

  it("a balance of a final block is not swept while the last sweep is not final: a reorg may have dropped it (ADDRESS-19)", () => {
    const queued = (isFinal: boolean, unfinal: "none" | "some", lastHeight?: bigint) => {
      const { outdatedCurrencies, queue } = plan(read(100n, {
        reading: { _tag: "Read", units: 100n, height: 50n, ...(isFinal ? { isFinal } : {}) },
        sweeps: { ...idle, unfinal, lastHeight }
      }))
      return [queue.length, outdatedCurrencies]
    }
    assert.deepStrictEqual(queued(true, "some", 49n), [0, 1])
    assert.deepStrictEqual(queued(true, "none", 49n), [1, 0])
    // The block may be newer than all final ones, and the sweep below it in the same history.
    assert.deepStrictEqual(queued(false, "some", 49n), [1, 0])
    assert.deepStrictEqual(queued(true, "none"), [1, 0])
  })

  it("503 when nothing could be read", () => {
    const failed = planReindex([{ ...base, reading: { _tag: "Unread" } }])
    assert.deepStrictEqual(Result.isFailure(failed) ? [failed.failure.status, failed.failure.message] : [], [
      503,
      "no balance could be read: try again"
    ])
  })
})
