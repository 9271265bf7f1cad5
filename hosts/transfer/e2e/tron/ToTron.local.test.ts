/**
 * Payments on Tron through a host: fills of transfers from an EVM chain and refunds of deposits on Tron, each one
 * transaction that names its order, settled on the hub by a real oracle; and a payment that expires.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { base58Of, evmAddress } from "../../../localnet/nodes/tron/node/Account.ts"
import { refuser } from "../../../localnet/nodes/tron/testing/OddContracts.ts"
import { execute, post, quote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { carriedOut, fromTron, namedBy, orderIn, quoteTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

class Running extends fixtureOf<Running>()(
  "test/ToTron",
  startFixture(Effect.flatMap(startTronNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n

/** The order that a transaction in a block names. */
const orderPaidBy = Effect.fnUntraced(function*(id: string | undefined) {
  const { tron } = yield* Running
  return namedBy(tron.chain.ledger.placeOf(id ?? "")?.executed.transaction ?? assert.fail(`no transaction ${id}`))
})

layer(Running.layer, { excludeTestServices: true })("payments on Tron", (it) => {
  it.effect(
    "are TRX and USDT for ether, to the unit, to accounts that nobody has used, and settle",
    () =>
      Effect.gen(function*() {
        const { chains, heldOnTron, key, url, whileMining } = yield* Running
        const made = yield* whileMining(
          Effect.forEach([TRX, usdt], (currency, index) =>
            Effect.gen(function*() {
              const recipient = newTronAddress()
              const quoted = yield* quote(
                url,
                toTron(privateKeyToAddress(key(index)), recipient, chains.alpha.chainId, currency)
              )
              yield* execute(chains.alpha, key(index), quoted)
              const ended = yield* endedAnywhere(url, quoted)
              const [settlement] = yield* settled(url, orderIdOf(quoted), 1)
              return { currency, ended, quoted, recipient, settlement }
            }), { concurrency: "unbounded" })
        )
        for (const { currency, ended, quoted, recipient, settlement } of made) {
          assert.strictEqual(ended.status, "success")
          assert.strictEqual(settlement?.inTxHash, ended.inTxHashes[0])
          assert.strictEqual(yield* orderPaidBy(ended.txHashes[0]), orderIdOf(quoted))
          assert.strictEqual(yield* heldOnTron(currency, recipient), BigInt(quoted.details.currencyOut.amount))
        }
      }),
    shows("tron-vm", "transfers to")
  )

  for (const tradeType of ["EXACT_OUTPUT", "EXPECTED_OUTPUT"]) {
    it.effect(`of ${tradeType} deliver the requested amount`, () =>
      Effect.gen(function*() {
        const { chains, heldOnTron, key, url, user, whileMining } = yield* Running
        for (const currency of [TRX, usdt]) {
          const [recipient, wanted] = [newTronAddress(), 40n * ONE + 7n]
          const quoted = yield* quote(
            url,
            toTron(user(4), recipient, chains.alpha.chainId, currency, { tradeType, amount: `${wanted}` })
          )
          assert.strictEqual(quoted.details.currencyOut.amount, `${wanted}`)
          yield* execute(chains.alpha, key(4), quoted)
          assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "success" })
          assert.strictEqual(yield* heldOnTron(currency, recipient), wanted)
        }
      }))
  }

  it.effect("are refunds of deposits on Tron, less what they cost, and settle as such", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, tron, url, whileMining } = yield* Running
      const user = yield* tron.wallet("somebody")
      for (const currency of [TRX, usdt]) {
        const refundTo = newTronAddress()
        const quoted = yield* quoteTron(
          url,
          fromTron(user, fresh(), [chains.alpha.chainId, NATIVE], [currency, 100n * ONE], {
            referrer: "force-refund",
            refundOnOrigin: true,
            refundTo
          })
        )
        const id = yield* carriedOut(user, quoted)
        yield* tron.mine()
        const { ended, settlement } = yield* whileMining(Effect.gen(function*() {
          const done = yield* endedAnywhere(url, quoted)
          const [found] = yield* settled(url, orderIn(quoted), 1)
          return { ended: done, settlement: found }
        }))
        assert.deepInclude(ended, { status: "refund", inTxHashes: [id] })
        assert.strictEqual(settlement?.inTxHash, id)
        assert.strictEqual(yield* orderPaidBy(ended.txHashes[0]), orderIn(quoted))
        const returned = yield* heldOnTron(currency, refundTo)
        // A memo and a new account are 2.1 TRX; a call of a token is some ten.
        assert.isTrue(returned < 100n * ONE && returned > 85n * ONE, `${returned}`)
      }
    }), shows("tron-vm", "refunds"))

  it.effect("are refused to a contract that takes no TRX", () =>
    Effect.gen(function*() {
      const { chains, key, tron, url } = yield* Running
      const user = yield* tron.wallet("somebody")
      const id = yield* Effect.promise(() => user.create(refuser.name, [], refuser.code, refuser.arguments))
      yield* tron.mine()
      const created = tron.chain.ledger.placeOf(id)?.executed.created ?? assert.fail("it was not deployed")
      const answer = yield* post(
        `${url}/quote`,
        toTron(privateKeyToAddress(key(0)), base58Of(evmAddress(created)), chains.alpha.chainId, TRX)
      )
      assert.strictEqual(answer.status, 400, answer.text)
      assert.include(answer.text, "recipient or refundTo")
    }))

  it.effect("are made again when no block took one before it expired, and never twice", () =>
    Effect.gen(function*() {
      const { chains, heldOnTron, key, tron, url, whileMining } = yield* Running
      const recipient = newTronAddress()
      const quoted = yield* quote(url, toTron(privateKeyToAddress(key(2)), recipient, chains.alpha.chainId, TRX))
      const waiting = Effect.sync(() => tron.chain.waiting().map(({ txID }) => txID))
      const fill = yield* Effect.forkChild(execute(chains.alpha, key(2), quoted))
      const [first] = yield* eventually("the payment waits", waiting, (ids) => ids.length > 0)
      yield* Fiber.join(fill)
      // The next block is past its time, and solidified twenty blocks later.
      tron.chain.wait(Date.now() + 11 * 60_000)
      yield* Effect.promise(() => tron.chain.mine(21))
      const [second] = yield* eventually("another payment waits", waiting, (ids) => ids.length > 0)
      assert.notStrictEqual(second, first)
      const ended = yield* whileMining(endedAnywhere(url, quoted))
      assert.deepInclude(ended, { status: "success", txHashes: [second ?? ""] })
      // Nothing more comes, however long it goes on.
      yield* tron.mine(25)
      assert.isUndefined(tron.chain.ledger.placeOf(first ?? ""))
      assert.strictEqual(yield* heldOnTron(TRX, recipient), BigInt(quoted.details.currencyOut.amount))
    }))
})
