import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import type { Address as ViemAddress, Hex } from "viem"
import { encodeFunctionData, numberToHex, toFunctionSelector } from "viem"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import * as Adapter from "./AddressBalances.ts"
import { abi as badAbi, bytecode as badCode } from "../contracts/artifacts/BadToken.ts"
import { NATIVE, useFixture } from "../contracts/testing/Fixture.ts"
import * as EthereumRpc from "../rpc/EthereumRpc.ts"

const fixture = useFixture()
const codec = addressCodec("ethereum-vm")
const holder: ViemAddress = "0x00000000000000000000000000000000000d0d01"

const currency = (address: ViemAddress): Currency => {
  const parsed = Result.getOrThrow(codec.parseCurrency(address))
  const isNative = parsed === codec.nativeCurrency
  return {
    chainId: ChainId.make(fixture().chainId),
    address: parsed,
    symbol: "T",
    name: "Token",
    decimals: 18,
    isNative
  }
}

const chain = (): Chain => ({
  id: ChainId.make(fixture().chainId),
  slug: ChainSlug.make("local"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "Local",
  depository: Result.getOrThrow(codec.parse(fixture().depository)),
  router: undefined,
  vault: undefined,
  native: currency(NATIVE),
  currencies: [],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 1_000,
  explorerUrl: undefined
})

/** A proxy before the node that counts requests and their calls. */
const counted = Effect.acquireRelease(
  Effect.promise(() =>
    new Promise<
      { readonly url: string; readonly counts: { requests: number; calls: number }; readonly close: () => void }
    >((resolve) => {
      const counts = { requests: 0, calls: 0 }
      const server = createServer((request, response) => {
        void text(request).then(async (body) => {
          counts.requests += 1
          counts.calls += (JSON.parse(body) as ReadonlyArray<unknown>).length
          const answer = await fetch(fixture().url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body
          })
          return response.setHeader("content-type", "application/json").end(await answer.text())
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resolve({
          url: `http://127.0.0.1:${port}`,
          counts,
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })
      })
    })
  ),
  ({ close }) => Effect.sync(close)
)

const adapter = (url: string) =>
  Adapter.layer.pipe(
    Layer.provide(EthereumRpc.layer),
    Layer.provide(Layer.succeed(EthereumRpc.EthereumEndpoints, { urls: new Map([[chain().id, [Redacted.make(url)]]]) }))
  )

const read = (addresses: ReadonlyArray<ViemAddress>) =>
  Effect.flatMap(
    AddressBalances,
    (balances) => balances.read(chain(), Result.getOrThrow(codec.parse(holder)), addresses.map(currency))
  )

const readNow = (addresses: ReadonlyArray<ViemAddress>) => Effect.provide(read(addresses), adapter(fixture().url))

/** `count` tokens, of which the holder has 1, 2, 3, … units. */
const tokens = async (count: number): Promise<ReadonlyArray<ViemAddress>> => {
  const { client, mint, usdc } = fixture()
  const bytecode = await client.getCode({ address: usdc }) ?? "0x"
  const made = Array.from(
    { length: count },
    (_, index): ViemAddress => `0x${(0xc0de0000 + index).toString(16).padStart(40, "0")}`
  )
  for (const [index, address] of made.entries()) {
    await client.setCode({ address, bytecode })
    await mint(address, holder, BigInt(index + 1))
  }
  return made
}

const unitsOf = (readings: ReadonlyArray<Reading>) =>
  readings.map((reading) => reading._tag === "Read" ? reading.units : undefined)

const ways = ["Well", "Reverts", "BurnsGas", "RevertsWithMuch", "AnswersMuch", "AnswersLittle"] as const
const badToken = async (way: (typeof ways)[number]): Promise<ViemAddress> => {
  const { create, mint, send, thief } = fixture()
  const bad = await create(thief, badCode)
  await mint(bad, holder, 9n)
  await send(
    thief,
    bad,
    encodeFunctionData({
      abi: badAbi,
      functionName: "misbehave",
      args: [toFunctionSelector("balanceOf(address)"), ways.indexOf(way)]
    })
  )
  return bad
}

describe("balances of an address", () => {
  it.live("of 50 currencies: one request with one call, each exact, all at the height of the head", () =>
    Effect.scoped(Effect.gen(function*() {
      const made = yield* Effect.promise(() => tokens(49))
      yield* Effect.promise(() => fixture().client.setBalance({ address: holder, value: 77n }))
      const { counts, url } = yield* counted
      const currencies = [NATIVE, ...made]
      yield* Effect.gen(function*() {
        // The endpoint's chain id is read once.
        yield* read(currencies)
        for (let round = 0; round < 10; round += 1) {
          const before = { ...counts }
          const readings = yield* read(currencies)
          assert.deepStrictEqual(counts, { requests: before.requests + 1, calls: before.calls + 1 })
          const height = yield* Effect.promise(() => fixture().client.getBlockNumber())
          assert.deepStrictEqual(
            readings,
            [77n, ...made.map((_, index) => BigInt(index + 1))].map((units) => ({ _tag: "Read", units, height }))
          )
        }
      }).pipe(Effect.provide(adapter(url)))
    })))

  it.live("of more currencies than one call can read: still one request", () =>
    Effect.scoped(Effect.gen(function*() {
      const made = yield* Effect.promise(() => tokens(3))
      const currencies = Array.from({ length: 210 }, (_, index) => made[index % 3] ?? NATIVE)
      const { counts, url } = yield* counted
      yield* Effect.gen(function*() {
        yield* read([])
        const before = { ...counts }
        assert.deepStrictEqual(unitsOf(yield* read(currencies)), currencies.map((_, index) => BigInt(index % 3 + 1)))
        assert.deepStrictEqual(counts, { requests: before.requests + 1, calls: before.calls + 3 })
      }).pipe(Effect.provide(adapter(url)))
    })))

  it.live("of watched addresses: a call for each hundred, and each address has its own balance", () =>
    Effect.scoped(Effect.gen(function*() {
      const [token = NATIVE] = yield* Effect.promise(() => tokens(1))
      const holders = Array.from(
        { length: 250 },
        (_, index): ViemAddress => numberToHex(0xd0d0_0000 + index, { size: 20 })
      )
      for (const [index, each] of holders.entries()) {
        yield* Effect.promise(() => fixture().mint(token, each, BigInt(index)))
      }
      const { counts, url } = yield* counted
      yield* Effect.gen(function*() {
        const balances = yield* AddressBalances
        const place = chain()
        const watched = Effect.forEach(
          holders,
          (each) => balances.read(place, Result.getOrThrow(codec.parse(each)), [currency(token)], "watched"),
          { concurrency: "unbounded" }
        )
        yield* read([NATIVE])
        const before = { ...counts }
        assert.deepStrictEqual(unitsOf((yield* watched).flat()), holders.map((_, index) => BigInt(index)))
        assert.deepStrictEqual(counts, { requests: before.requests + 1, calls: before.calls + 3 })
      }).pipe(Effect.provide(adapter(url)))
    })))

  it.live("of watched addresses are unavailable for each when no node answers", () =>
    Effect.gen(function*() {
      const balances = yield* AddressBalances
      const place = chain()
      const errors = yield* Effect.forEach([holder, NATIVE], (each) =>
        Effect.flip(balances.read(place, Result.getOrThrow(codec.parse(each)), [currency(NATIVE)], "watched")), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        errors.map(({ _tag }) =>
          _tag
        ),
        ["ChainUnavailable", "ChainUnavailable"]
      )
    }).pipe(Effect.provide(adapter("http://127.0.0.1:1"))))

  it.live("with bad tokens among them: each bad one is unread, never zero, and affects no other", () =>
    Effect.gen(function*() {
      const [good = NATIVE] = yield* Effect.promise(() => tokens(1))
      const bad = yield* Effect.promise(async () => {
        const all = new Array<ViemAddress>()
        for (const way of ways) all.push(await badToken(way))
        return all
      })
      const nobody: ViemAddress = "0x00000000000000000000000000000000000000fe"
      const readings = yield* readNow([...bad, nobody, fixture().router, good, NATIVE])
      const expected = ways.map((way) => way === "Well" || way === "AnswersMuch" ? 9n : undefined)
      assert.deepStrictEqual(unitsOf(readings), [...expected, undefined, undefined, 1n, 0n])
    }))

  it.live("of a hundred tokens that burn all their gas: the good one at the end is read", () =>
    Effect.gen(function*() {
      const [good = NATIVE] = yield* Effect.promise(() => tokens(1))
      const burner = yield* Effect.promise(() => badToken("BurnsGas"))
      const readings = yield* readNow([...Array.from({ length: 99 }, () => burner), good])
      assert.deepStrictEqual(unitsOf(readings), [...Array.from({ length: 99 }, () => undefined), 1n])
    }))

  it.live("have the chain's own height where block.number is another chain's, and elsewhere ignore a foreign precompile", () =>
    Effect.gen(function*() {
      const { client } = fixture()
      const height = yield* Effect.promise(() => client.getBlockNumber())
      // push32 ‹4242› push0 mstore push1 32 push0 return; invalid; return nothing.
      const codes: ReadonlyArray<readonly [Hex, bigint]> = [
        [`0x7f${numberToHex(4242, { size: 32 }).slice(2)}5f5260205ff3`, 4242n],
        ["0xfe", height],
        ["0x00", height]
      ]
      for (const [bytecode, expected] of codes) {
        yield* Effect.promise(() => client.setCode({ address: "0x0000000000000000000000000000000000000064", bytecode }))
        assert.deepStrictEqual(yield* readNow([NATIVE]), [{ _tag: "Read", units: 0n, height: expected }])
      }
    }))

  it.live("are unavailable when no node answers", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.provide(read([NATIVE]), adapter("http://127.0.0.1:1")))
      assert.deepStrictEqual([error._tag, error.operation], ["ChainUnavailable", "balances"])
    }))
})
