/** Watched addresses on a local Tron chain: which of them its solidified blocks name (TRON-27). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import { toEvm } from "../../../hosts/localnet/nodes/tron/node/Account.ts"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { newAccount, startPayingTron } from "../testing/PayingTron.ts"

const TRX = 1_000_000n

it.live("a block that pays two of them has these asked for, and the others not", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chain: served, native, nodes: [node], ports, tron, usdt } = yield* startPayingTron(1)
    // Blocks come faster here than their time says: each read looks for the newest one.
    const chain = { ...served, blockTimeMs: 1 }
    const addresses = Array.from({ length: 6 }, () => newAccount())
    const [first = newAccount(), second = newAccount()] = addresses
    const wallet = yield* tron.wallet("somebody")
    const held = Effect.gen(function*() {
      const balances = yield* AddressBalances
      return yield* Effect.forEach(addresses, (address, n) =>
        Effect.map(
          balances.read(chain, address, [n % 2 === 0 ? native : usdt], "watched"),
          ([reading]) => reading?._tag === "Read" ? reading.units : "unread"
        ))
    })
    const solidify = Effect.gen(function*() {
      for (let blocks = 0; blocks < 20; blocks += 1) {
        yield* tron.mine()
        // A look of the same millisecond is shared, and blocks are mined faster than that.
        yield* Effect.sleep("3 millis")
        yield* held
      }
    })
    yield* Effect.gen(function*() {
      yield* held
      yield* solidify
      yield* Effect.promise(() => wallet.transfer(first, 50n * TRX))
      yield* Effect.promise(() =>
        wallet.trigger(
          usdt.address,
          encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [toEvm(second), 7n] })
        )
      )
      // Whoever is asked for does not answer.
      yield* node?.setFault({
        kind: "status",
        status: 500,
        methods: ["/walletsolidity/getaccount", "/walletsolidity/triggerconstantcontract"]
      }) ?? Effect.void
      yield* solidify
      assert.deepStrictEqual(yield* held, ["unread", "unread", 0n, 0n, 0n, 0n])
      yield* node?.setFault(undefined) ?? Effect.void
      assert.deepStrictEqual(yield* held, [50n * TRX, 7n, 0n, 0n, 0n, 0n])
    }).pipe(Effect.provide(ports))
  })))
