/** Concurrent readings of many addresses share few requests, and an unreadable balance is never taken as zero. */
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { base58 } from "@scure/base"
import { Effect, Layer, Result } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import * as Adapter from "./AddressBalances.ts"
import { SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

const codec = addressCodec("solana-vm")
const holder = (n: number) =>
  Result.getOrThrow(
    codec.parse(base58.encode(Uint8Array.from({ length: 32 }, (_, index) => index < 2 ? (n >> (8 * index)) & 0xff : 7)))
  )
const chain = { id: ChainId.make(9), slug: ChainSlug.make("nine"), family: families["solana-vm"] } as Chain
const native: Currency = {
  chainId: chain.id,
  address: codec.nativeCurrency,
  symbol: "SOL",
  name: "Solana",
  decimals: 9,
  isNative: true
}

/** A node whose accounts hold as many lamports as their address's first byte. It refuses the given requests. */
const nodeOf = (refuses: (request: number) => boolean) => {
  const asked: Array<number> = []
  const client = {
    getMultipleAccounts: (addresses: ReadonlyArray<string>) => ({
      send: () => {
        asked.push(addresses.length)
        if (refuses(asked.length)) return Promise.reject(new Error("busy"))
        const value = addresses.map((each) => ({
          lamports: BigInt(base58.decode(each)[0] ?? 0),
          owner: each,
          executable: false,
          data: ["", "base64"]
        }))
        return Promise.resolve({ context: { slot: 77n }, value })
      }
    })
  } as unknown as SolanaClient
  const rpc = Layer.mock(SolanaRpc, {
    isAlone: () => true,
    call: ({ slug }, operation, run) =>
      Effect.tryPromise({
        try: () => run(client, { done: () => {} }),
        catch: () => new ChainUnavailable({ chain: slug, operation, kind: "refused" })
      })
  })
  return { asked, ports: Adapter.layer.pipe(Layer.provide(rpc)) }
}

const readAll = (count: number) =>
  Effect.flatMap(
    AddressBalances,
    (balances) =>
      Effect.forEach(Array.from({ length: count }, (_, n) => n), (n) =>
        Effect.exit(balances.read(chain, holder(n), [native])), { concurrency: "unbounded" })
  )

describe("balances of deposit addresses", () => {
  it.live("of 250 addresses at once need three requests, and each gets its own", () =>
    Effect.gen(function*() {
      const { asked, ports } = nodeOf(() => false)
      const read = yield* Effect.provide(readAll(250), ports)
      assert.deepStrictEqual(asked.toSorted((one, other) => other - one), [100, 100, 50])
      read.forEach((exit, n) =>
        assert.deepStrictEqual(exit._tag === "Success" ? exit.value : exit, [{
          _tag: "Read",
          units: BigInt(n & 0xff),
          height: 77n
        }])
      )
    }))

  it.live("that a node refuses are unavailable only to the callers of that request", () =>
    Effect.gen(function*() {
      const { ports } = nodeOf((request) => request === 2)
      const read = yield* Effect.provide(readAll(250), ports)
      assert.strictEqual(read.filter(({ _tag }) => _tag === "Failure").length, 100)
      assert.isFalse(read.some((exit) => exit._tag === "Success" && exit.value[0]?._tag !== "Read"))
    }))
})
